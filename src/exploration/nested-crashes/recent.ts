/** Keeps what was used last, so many at most. */
export class Recent<K, V> {
  readonly #most: number;
  readonly #known = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: K, make: () => V): V {
    const value = this.#known.get(key) ?? make();
    this.#known.delete(key);
    this.#known.set(key, value);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#most && oldest !== undefined) this.#known.delete(oldest);
    return value;
  }
}
