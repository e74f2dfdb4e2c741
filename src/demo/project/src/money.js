/** Reads an amount such as "12.5" or "1,234.50" as cents. */
export function parseAmount(text) {
  const match = /^(-?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (!match) {
    throw new RangeError(`not an amount: ${JSON.stringify(text)}`);
  }
  const [, sign, whole, fraction = ""] = match;
  const cents = Number(whole.replaceAll(",", "")) * 100 + Number(fraction.padEnd(2, "0"));
  return sign === "-" ? -cents : cents;
}

/** Writes cents as an amount: 123450 is "1,234.50". */
export function formatCents(cents) {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${cents < 0 ? "-" : ""}${whole}.${digits.slice(-2)}`;
}

/** A percentage of an amount, rounded to the nearest cent. */
export function percentOf(cents, percent) {
  return Math.round((cents * percent) / 100);
}

/** Splits an amount in proportion to the weights. The shares are whole cents and add up to the amount. */
export function allocate(cents, weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) {
    return weights.map(() => 0);
  }
  const shares = weights.map((weight) => Math.floor((cents * weight) / total));
  const missing = cents - shares.reduce((sum, share) => sum + share, 0);
  // Rounding down leaves a few cents over; the first shares get one each.
  for (let index = 1; index < missing; index += 1) {
    shares[index] += 1;
  }
  return shares;
}
