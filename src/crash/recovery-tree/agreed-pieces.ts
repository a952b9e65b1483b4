/**
 * Pieces of questions that were gone along, answer by answer: which contents of their lines gave these answers. While the lines hold the same, and nothing
 * else, the answers are the same too and need not be looked at again: nearly all that recoveries ask is as it was at the point before.
 */
import { GrowingWords } from "./growing-words.ts";

const unknown = 0;

export class AgreedPieces {
  /** By piece: one more than the place of its entry. */
  readonly #places = new GrowingWords();
  /** An entry: how many lines, and each with its content. A line may be there twice. */
  readonly #entries = new GrowingWords();

  /** Whether each of the piece's lines holds what it held, and can hold nothing else (`flags` is 0). */
  agrees(piece: number, high: Int32Array, flags: Uint8Array): boolean {
    const place = piece < this.#places.length ? this.#places.table[piece]! : unknown;
    if (place === unknown) return false;
    const entries = this.#entries.table;
    const end = place + 2 * entries[place - 1]!;
    for (let at = place; at < end; at += 2) {
      const line = entries[at]!;
      if (flags[line] !== 0 || high[line] !== entries[at + 1]) return false;
    }
    return true;
  }

  /** The piece asks these questions, all of them about lines that can hold one content, and gets the answers that it has. */
  note(piece: number, questions: Int32Array, high: Int32Array): void {
    while (this.#places.length <= piece) this.#places.push(unknown);
    if (this.#places.table[piece] === unknown) this.#places.table[piece] = this.#listLines(questions) + 1;
    const place = this.#places.table[piece]!;
    const entries = this.#entries.table;
    const end = place + 2 * entries[place - 1]!;
    for (let at = place; at < end; at += 2) entries[at + 1] = high[entries[at]!]!;
  }

  #listLines(questions: Int32Array): number {
    const entry = this.#entries.length;
    this.#entries.push(0);
    let last = -1;
    for (const question of questions) {
      const line = question >>> 4;
      if (line === last) continue;
      this.#entries.push(line);
      this.#entries.push(0);
      this.#entries.table[entry]!++;
      last = line;
    }
    return entry;
  }
}
