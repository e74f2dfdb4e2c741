import assert from "node:assert/strict";
import { test } from "node:test";
import { buildInvoice } from "../src/invoice.js";

test("an invoice without discount and tax is the sum of its lines", () => {
  const invoice = buildInvoice({
    lines: [
      { name: "Chair", quantity: 4, unitPrice: 4999 },
      { name: "Table", quantity: 1, unitPrice: 19900 },
    ],
  });
  assert.equal(invoice.gross, 39896);
});

test("tax is taken of the discounted sum", () => {
  const invoice = buildInvoice({
    lines: [{ name: "Lamp", quantity: 2, unitPrice: 2500 }],
    discountPercent: 10,
    taxPercent: 20,
  });
  assert.deepEqual([invoice.net, invoice.tax, invoice.gross], [4500, 900, 5400]);
});

test("a line needs a whole quantity", () => {
  const lines = [{ name: "Rope", quantity: 1.5, unitPrice: 300 }];
  assert.throws(() => buildInvoice({ lines }), /Rope: the quantity/);
});
