/**
 * What a run asked, as text: short, the same in journals, and copied from thread to thread as it is. Most questions are about the four bytes behind
 * those of the one before, so they are stretches of neighbours: how far the first is from the last one, how many. Numbers are written by digits of
 * five bits, the lowest first, a sixth says that another follows (as in source maps).
 */
import { assert } from "../../base/index.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const codes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
const none = 0xff;
const digits = new Uint8Array(128).fill(none);
for (const [digit, code] of codes.entries()) digits[code] = digit;

const base = 32;
const follows = 32;
const mostDigits = 11;
const largest = 2 ** 52;

class Writer {
  #bytes = new Uint8Array(1024);
  #length = 0;

  begin(): void {
    this.#length = 0;
  }

  natural(value: number): void {
    if (this.#length + mostDigits > this.#bytes.length) this.#grow();
    let rest = value;
    while (rest >= base) {
      this.#bytes[this.#length++] = codes[follows + (rest % base)]!;
      rest = Math.floor(rest / base);
    }
    this.#bytes[this.#length++] = codes[rest]!;
  }

  whole(value: number): void {
    this.natural(value < 0 ? -2 * value - 1 : 2 * value);
  }

  get text(): string {
    return new TextDecoder().decode(this.#bytes.subarray(0, this.#length));
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  natural(): number {
    let value = 0;
    for (let scale = 1; ; scale *= base) {
      const digit = digits[this.#text.charCodeAt(this.#at++)] ?? none;
      assert(digit !== none, "packed questions are letters, and whole numbers of them");
      if (digit < follows) return value + digit * scale;
      value += (digit - follows) * scale;
    }
  }

  whole(): number {
    const value = this.natural();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

const writer = new Writer();

export function packQuestions(questions: ArrayLike<number>): string {
  writer.begin();
  writer.natural(questions.length);
  let last = 0;
  for (let at = 0; at < questions.length; ) {
    const first = questions[at]!;
    let end = at + 1;
    while (end < questions.length && first >= 0 && questions[end] === first + end - at) end++;
    assert(Math.abs(first - last) < largest, "questions are numbers that can be told apart");
    writer.whole(first - last);
    writer.natural(end - at);
    last = questions[end - 1]!;
    at = end;
  }
  return writer.text;
}

export const unpackQuestions = (packed: string): Int32Array => unpackInto(packed, (count) => new Int32Array(count));

/** Whatever their size. */
export const unpackNumbers = (packed: string): number[] => unpackInto(packed, (count) => new Array<number>(count));

function unpackInto<Numbers extends { [at: number]: number }>(
  packed: string,
  make: (count: number) => Numbers,
): Numbers {
  const reader = new Reader(packed);
  const count = reader.natural();
  const questions = make(count);
  let next = 0;
  let last = 0;
  while (next < count) {
    const first = last + reader.whole();
    const neighbours = reader.natural();
    assert(neighbours > 0 && next + neighbours <= count, "as many questions are packed as is said");
    for (let i = 0; i < neighbours; i++) questions[next++] = first + i;
    last = first + neighbours - 1;
  }
  assert(reader.isAtEnd, "as many questions are packed as is said");
  return questions;
}
