/**
 * The numbers below a count, so that those that came so far are spread over all of them: every 64th first, then those
 * halfway between, and so on. Always: each round goes forwards, for whoever walks a trace along with it.
 */
const firstStride = 64;

export class Sampling {
  readonly #count: number;
  #stride = firstStride;
  #next = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** Undefined when each has come. */
  next(): number | undefined {
    while (this.#next >= this.#count) {
      if (this.#stride === 1) return undefined;
      this.#stride /= 2;
      this.#next = this.#stride;
    }
    const number = this.#next;
    this.#next += this.#stride * (this.#stride === firstStride ? 1 : 2);
    return number;
  }
}
