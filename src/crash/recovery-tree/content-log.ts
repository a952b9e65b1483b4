/** Contents of lines as a walk over the trace comes to them, and in the end those of one line together. */
import { type ContentTable, headBits, marksOf, wordsPerLine } from "./content-words.ts";
import { WordLog } from "./word-log.ts";

export interface PackedContents {
  readonly contents: ContentTable;
  /** By content: stores of the line that it keeps, pieces of the next one. */
  readonly cuts: Int32Array;
  /** By line: its first content. One more at the end. */
  readonly starts: Int32Array;
}

const sharedWords = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * length));

/** Makes first numbers of counts, which stand one place further on. */
function addUp(counts: Int32Array): void {
  for (let at = 1; at < counts.length; at++) counts[at]! += counts[at - 1]!;
}

export class ContentLog {
  /** Of each content: its line, how many of the line's stores it keeps, which pieces of the next one. */
  readonly #cuts = new WordLog();
  /** Of each: its head, and the words it changes. */
  readonly #changes = new WordLog();
  #count = 0;

  /** `head` says what a content is beside the words that it changes. */
  add(line: number, kept: number, pieces: number, head: number, before: Int32Array, now: Int32Array): void {
    let changed = head;
    for (let word = 0; word < wordsPerLine; word++) if (before[word] !== now[word]) changed |= 1 << word;
    this.#cuts.push(line);
    this.#cuts.push(kept);
    this.#cuts.push(pieces);
    this.#changes.push(changed);
    for (let word = 0; word < wordsPerLine; word++) if ((changed >>> word) & 1) this.#changes.push(now[word]!);
    this.#count++;
  }

  packed(lines: number): PackedContents {
    const { starts, words } = this.#starts(lines);
    const cuts = sharedWords(2 * this.#count);
    const changes = sharedWords(words[lines]!);
    const [next, nextWord] = [starts.slice(), words];
    const [cut, change] = [this.#cuts.drain(), this.#changes.drain()];
    for (let i = 0; i < this.#count; i++) {
      const line = cut.next();
      const content = next[line]!++;
      cuts[2 * content] = cut.next();
      cuts[2 * content + 1] = cut.next();
      let at = nextWord[line]!;
      changes[at] = change.next();
      for (let left = changedWords(changes[at++]!); left > 0; left--) changes[at++] = change.next();
      nextWord[line] = at;
    }
    return { contents: { changes, marks: marksOf(changes, this.#count) }, cuts, starts };
  }

  /** By line: its first content, and the first word of what its contents change. */
  #starts(lines: number): { readonly starts: Int32Array; readonly words: Int32Array } {
    const starts = new Int32Array(lines + 1);
    const words = new Int32Array(lines + 1);
    const [cut, change] = [this.#cuts.reader(), this.#changes.reader()];
    for (let i = 0; i < this.#count; i++) {
      const line = cut.next();
      cut.skip(2);
      const changed = changedWords(change.next());
      change.skip(changed);
      starts[line + 1]!++;
      words[line + 1]! += 1 + changed;
    }
    addUp(starts);
    addUp(words);
    return { starts, words };
  }
}

function changedWords(head: number): number {
  let count = 0;
  for (let bits = head & (headBits.first - 1); bits !== 0; bits &= bits - 1) count++;
  return count;
}
