/** Pages of files in memory that threads share: each page once, however many versions have it. */
const pageBytes = 4096;
const pagesPerChunk = 256;

/** Where a page lies: the number of its chunk and its own in it, as one. */
type Place = number;

export class SharedPages {
  readonly chunks: SharedArrayBuffer[] = [];
  readonly #places = new WeakMap<Uint8Array, Place>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The page's bytes must never change. */
  add(bytes: Uint8Array): Place {
    const known = this.#places.get(bytes);
    if (known !== undefined) return known;
    const place = this.#count++;
    if (place % pagesPerChunk === 0) this.chunks.push(new SharedArrayBuffer(pagesPerChunk * pageBytes));
    pageAt(this.chunks, place).set(bytes);
    this.#places.set(bytes, place);
    return place;
  }
}

export const pageAt = (chunks: readonly SharedArrayBuffer[], place: Place): Uint8Array =>
  new Uint8Array(chunks[Math.floor(place / pagesPerChunk)]!, (place % pagesPerChunk) * pageBytes, pageBytes);
