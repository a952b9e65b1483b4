/** Where functions are read from: a file's bytes, or a machine's memory. */
export interface Code {
  /** The bytes from an address on, `length` at most; fewer at the end of what there is, none outside. */
  bytes(address: number, length: number): Uint8Array;
}

export interface CodeRange {
  readonly low: number;
  readonly high: number;
}

export const liesIn = (ranges: readonly CodeRange[], address: number): boolean =>
  ranges.some(({ low, high }) => address >= low && address < high);
