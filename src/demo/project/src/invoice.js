import { spreadDiscount } from "./discount.js";
import { lineTotal } from "./lines.js";
import { percentOf } from "./money.js";

/** Adds up an invoice. Tax is taken of the discounted sum. */
export function buildInvoice({ lines, discountPercent = 0, taxPercent = 0 }) {
  const totals = lines.map(lineTotal);
  const discounts = spreadDiscount(totals, discountPercent);
  const priced = lines.map((line, index) => ({
    ...line,
    discount: discounts[index],
    total: totals[index] - discounts[index],
  }));
  const net = priced.reduce((sum, line) => sum + line.total, 0);
  const tax = percentOf(net, taxPercent);
  return { lines: priced, net, tax, gross: net + tax };
}
