import assert from "node:assert/strict";
import { test } from "node:test";
import { allocate, formatCents, parseAmount } from "../src/money.js";

test("amounts are read as cents", () => {
  assert.equal(parseAmount("12.5"), 1250);
  assert.equal(parseAmount("1,234.50"), 123450);
  assert.equal(parseAmount("-0.05"), -5);
  assert.throws(() => parseAmount("12.345"), RangeError);
});

test("cents are written as amounts", () => {
  assert.equal(formatCents(5), "0.05");
  assert.equal(formatCents(123450), "1,234.50");
  assert.equal(formatCents(-100000000), "-1,000,000.00");
});

test("an amount is split in proportion", () => {
  assert.deepEqual(allocate(1000, [1, 1, 2]), [250, 250, 500]);
  assert.deepEqual(allocate(0, [3, 5]), [0, 0]);
  assert.deepEqual(allocate(700, [0, 0]), [0, 0]);
});
