import { allocate, percentOf } from "./money.js";

/** Takes a discount off the whole and spreads it over the lines; gives the discount of each line. */
export function spreadDiscount(totals, percent) {
  const whole = totals.reduce((sum, total) => sum + total, 0);
  return allocate(percentOf(whole, percent), totals);
}
