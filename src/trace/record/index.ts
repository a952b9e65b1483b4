/** One event as words in memory: shared by the code that writes records, compiled or not, and by all that reads them. */
export * from "./fields.ts";
export * from "./kinds.ts";
export { type Piece, piecesOf } from "./pieces.ts";
