function enlarged(numbers: Int32Array, times: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(times * numbers.length);
  larger.set(numbers);
  return larger;
}

/** A table with twice the room, and what it held. */
export const doubled = (numbers: Int32Array): Int32Array<ArrayBuffer> => enlarged(numbers, 2);

/** Where tables become large: room that is not used yet costs nothing, and copying does. */
export const fourfold = (numbers: Int32Array): Int32Array<ArrayBuffer> => enlarged(numbers, 4);
