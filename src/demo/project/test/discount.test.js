import assert from "node:assert/strict";
import { test } from "node:test";
import { spreadDiscount } from "../src/discount.js";

test("a discount is spread in proportion to the lines", () => {
  assert.deepEqual(spreadDiscount([4000, 6000], 10), [400, 600]);
});

test("no discount leaves the lines alone", () => {
  assert.deepEqual(spreadDiscount([4000, 6000], 0), [0, 0]);
});

test("the discounts of the lines add up to the discount of the whole", () => {
  const discounts = spreadDiscount([3333, 3333, 3334], 5);
  assert.equal(discounts.reduce((sum, discount) => sum + discount, 0), 500);
});
