/**
 * What one recovery asked, in its order, each question once. Always: every four bytes of a persistent file are a question,
 * stored to or not: a recovery before this one may have stored to them.
 */
import type { OtherQuestion } from "../../crash/recovery-tree/index.ts";

const wordsPerFile = 2 ** 32;
/** Added to a question that is asked while a checksum is taken. */
const folded = 2 ** 52;

/** Not negative: four bytes of a file; else -1 - an index into the texts. */
export type AskedNumber = number;

export const askedWord = (asked: AskedNumber) => {
  const isFolded = asked >= folded;
  const plain = isFolded ? asked - folded : asked;
  return { isFolded, file: Math.floor(plain / wordsPerFile), word: plain % wordsPerFile };
};

export class AskedWords {
  questions: AskedNumber[] = [];
  readonly #seen = new Set<number>();
  readonly #texts = new Set<OtherQuestion>();
  #folded = 0;

  begin(): void {
    this.questions = [];
    this.#seen.clear();
    this.#texts.clear();
    this.#folded = 0;
  }

  /** Whether what is asked from now on goes into a checksum. */
  fold(inside: boolean): void {
    this.#folded = inside ? folded : 0;
  }

  words(file: number, numbers: Int32Array): void {
    for (const number of numbers) {
      const question = file * wordsPerFile + (number >>> 0);
      if (this.#seen.has(question)) continue;
      this.#seen.add(question);
      this.questions.push(question + this.#folded);
    }
  }

  other(text: OtherQuestion): void {
    if (this.#texts.has(text)) return;
    this.questions.push(-1 - this.#texts.size);
    this.#texts.add(text);
  }

  get texts(): readonly OtherQuestion[] {
    return [...this.#texts];
  }
}
