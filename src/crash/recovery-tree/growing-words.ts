/**
 * A list of 32-bit words that grows, in memory that the garbage collector does not look into. A long one grows in place, as WebAssembly's memory
 * does: copies of hundreds of megabytes take time, and need both.
 */
const bytesPerPage = 2 ** 16;
const wordsPerPage = bytesPerPage / Int32Array.BYTES_PER_ELEMENT;
const mostPages = 2 ** 16;
/** What a list can be asked to hold. */
export const mostWords = mostPages * wordsPerPage;
/** Shorter lists are not worth an address space. */
const longWords = 2 ** 20;

export class GrowingWords {
  #words: Int32Array = new Int32Array(1024);
  #length = 0;
  #memory: WebAssembly.Memory | undefined;

  get length(): number {
    return this.#length;
  }

  /** Valid until it grows; longer than what is in it. */
  get table(): Int32Array {
    return this.#words;
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
    const wanted = Math.max(Math.min(2 * this.#words.length, mostWords), least);
    if (this.#memory !== undefined) this.#growInPlace(this.#memory, wanted);
    else this.#move(wanted < longWords ? new Int32Array(wanted) : this.#reserve(wanted));
  }

  #reserve(wanted: number): Int32Array {
    this.#memory = new WebAssembly.Memory({ initial: Math.ceil(wanted / wordsPerPage), maximum: mostPages });
    return new Int32Array(this.#memory.buffer);
  }

  #move(larger: Int32Array): void {
    larger.set(this.#words);
    this.#words = larger;
  }

  #growInPlace(memory: WebAssembly.Memory, wanted: number): void {
    memory.grow(Math.ceil((wanted - this.#words.length) / wordsPerPage));
    this.#words = new Int32Array(memory.buffer);
  }
}
