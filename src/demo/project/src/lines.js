/** What a line costs before any discount, in cents. */
export function lineTotal({ name, quantity, unitPrice }) {
  if (!Number.isInteger(quantity) || quantity < 0) {
    throw new RangeError(`${name}: the quantity must be a whole number, not ${quantity}`);
  }
  if (!Number.isInteger(unitPrice) || unitPrice < 0) {
    throw new RangeError(`${name}: the price must be in whole cents, not ${unitPrice}`);
  }
  return quantity * unitPrice;
}
