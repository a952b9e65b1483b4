/** Lines by number: those of a file are neighbours. */
export const lineBytes = 64;

/** A line's number: the file's number and the line's index in the file. */
export type LineKey = number;
const linesPerFile = 2 ** 40;
export const lineKey = (file: number, index: number): LineKey => file * linesPerFile + index;

export const placeOfLine = (key: LineKey): { readonly file: number; readonly index: number } => ({
  file: Math.floor(key / linesPerFile),
  index: key % linesPerFile,
});
