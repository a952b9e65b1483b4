/**
 * The questions a recovery may ask of a crash state, numbered, and the answers of the present one. Always: an answer is
 * up to date for every question that was ever asked; what changes is told by line.
 */
import { type LineKey, lineBytes, lineKey } from "./lines.ts";
import type { Answers, Question } from "./memo.ts";

const wordBytes = 8;
const wordsPerLine = lineBytes / wordBytes;
const none = -1;

function doubled(answers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * answers.length);
  larger.set(answers);
  return larger;
}

export class Questions implements Answers {
  low = new Int32Array(1024);
  high = new Int32Array(1024);
  #count = 0;
  /** The questions about a line's words, `none` where none was asked. */
  readonly #lines = new Map<LineKey, Int32Array>();
  readonly #texts = new Map<string, Question>();

  #add(): Question {
    if (this.#count === this.low.length) {
      this.low = doubled(this.low);
      this.high = doubled(this.high);
    }
    return this.#count++;
  }

  #answerWord(question: Question, contents: Uint8Array, word: number): void {
    const view = new DataView(contents.buffer, contents.byteOffset, contents.length);
    this.low[question] = view.getInt32(word * wordBytes, true);
    this.high[question] = view.getInt32(word * wordBytes + 4, true);
  }

  /** What is the file's word of this number? `contents` gives the present line when the question is new. */
  word(file: number, number: number, contents: (key: LineKey) => Uint8Array): Question {
    const key = lineKey(file, Math.floor(number / wordsPerLine));
    let words = this.#lines.get(key);
    if (words === undefined) {
      words = new Int32Array(wordsPerLine).fill(none);
      this.#lines.set(key, words);
    }
    const word = number % wordsPerLine;
    if (words[word] === none) {
      words[word] = this.#add();
      this.#answerWord(words[word]!, contents(key), word);
    }
    return words[word]!;
  }

  /** A question that is not about a word, with its present answer. */
  other(text: string, answer: number): Question {
    const question = this.#texts.get(text) ?? this.#add();
    this.#texts.set(text, question);
    this.low[question] = answer;
    return question;
  }

  get others(): Iterable<string> {
    return this.#texts.keys();
  }

  /** The line has these contents now. */
  lineIs(key: LineKey, contents: Uint8Array): void {
    this.#lines.get(key)?.forEach((question, word) => {
      if (question !== none) this.#answerWord(question, contents, word);
    });
  }

  get lines(): Iterable<LineKey> {
    return this.#lines.keys();
  }
}
