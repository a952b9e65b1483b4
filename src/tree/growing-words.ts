/** A list of 32-bit words that grows, in memory that the garbage collector does not look into. */
export class GrowingWords {
  #words = new Int32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Valid until it grows. */
  get words(): Int32Array {
    return this.#words.subarray(0, this.#length);
  }

  push(word: number): void {
    if (this.#length === this.#words.length) this.#grow(this.#length + 1);
    this.#words[this.#length++] = word;
  }

  append(words: Int32Array): void {
    const end = this.#length + words.length;
    if (end > this.#words.length) this.#grow(end);
    this.#words.set(words, this.#length);
    this.#length = end;
  }

  #grow(least: number): void {
    const larger = new Int32Array(Math.max(2 * this.#words.length, least));
    larger.set(this.#words);
    this.#words = larger;
  }
}
