/**
 * The same table with so many times the room. Where tables become large, four times is better: room that is not used yet costs
 * nothing, and copying does.
 */
export function growTable(numbers: Int32Array, times: 2 | 4 = 2): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(times * numbers.length);
  larger.set(numbers);
  return larger;
}
