/** A list of 32-bit words that only grows and is read from its beginning. Always: growing copies nothing, so that a long one never lies in memory twice. */
const chunkWords = 1 << 16;
const none = new Int32Array();

export class WordLog {
  readonly #chunks: Int32Array[] = [];
  #last = none;
  #used = 0;

  get length(): number {
    return Math.max(0, this.#chunks.length - 1) * chunkWords + this.#used;
  }

  push(word: number): void {
    if (this.#used === this.#last.length) this.#grow();
    this.#last[this.#used++] = word;
  }

  #grow(): void {
    this.#last = new Int32Array(chunkWords);
    this.#chunks.push(this.#last);
    this.#used = 0;
  }

  /** From the beginning on; it must not grow meanwhile. */
  reader(): WordReader {
    return new WordReader(this.#chunks);
  }

  /** For the last time: what was read is let go, so that it need not lie beside what is made of it. */
  drain(): WordReader {
    const chunks = this.#chunks.splice(0);
    this.#last = none;
    this.#used = 0;
    return new WordReader(chunks, (passed) => {
      chunks[passed] = none;
    });
  }

  /** Into memory that threads share. */
  shared(): Int32Array {
    const words = new Int32Array(new SharedArrayBuffer(4 * this.length));
    for (const [at, chunk] of this.#chunks.entries())
      words.set(chunk === this.#last ? chunk.subarray(0, this.#used) : chunk, at * chunkWords);
    return words;
  }
}

export class WordReader {
  readonly #chunks: readonly Int32Array[];
  readonly #passed: (chunk: number) => void;
  /** Where the next word lies: in which chunk, and where in it. */
  #chunk = 0;
  #at = 0;

  constructor(chunks: readonly Int32Array[], passed: (chunk: number) => void = () => {}) {
    this.#chunks = chunks;
    this.#passed = passed;
  }

  skip(words: number): void {
    this.#at += words;
    while (this.#at >= chunkWords) this.#pass();
  }

  next(): number {
    const word = this.#chunks[this.#chunk]![this.#at++]!;
    if (this.#at === chunkWords) this.#pass();
    return word;
  }

  #pass(): void {
    this.#passed(this.#chunk++);
    this.#at -= chunkWords;
  }
}
