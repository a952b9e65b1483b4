/**
 * How a store becomes records: cut at every aligned eight bytes, in order of address. What lies within an aligned eight
 * persists as a whole; the pieces of one store may persist in any order (docs/MODEL.md, section 2). Compiled code cuts in
 * the same way (machine/runtime/events.ts), and a test compares the two.
 */
import { furtherPiece } from "./fields.ts";

export interface Piece {
  readonly address: number;
  /** Bytes before it in the store. */
  readonly skipped: number;
  readonly bytes: number;
  /** For the record: the bytes, marked if an earlier piece comes before. */
  readonly size: number;
}

export function* piecesOf(address: number, bytes: number): Iterable<Piece> {
  for (let skipped = 0; skipped < bytes; ) {
    const piece = Math.min(bytes - skipped, 8 - ((address + skipped) % 8));
    yield { address: address + skipped, skipped, bytes: piece, size: skipped === 0 ? piece : piece | furtherPiece };
    skipped += piece;
  }
}
