/** How many of the stores from a given one on are durable: a Fenwick tree over the stores, which grows with them. */
export class DurableCount {
  #tree = new Uint32Array(1024);
  #isDurable = new Uint8Array(1024);
  #total = 0;

  add(store: number): void {
    while (store >= this.#isDurable.length) this.#grow();
    this.#isDurable[store] = 1;
    this.#total++;
    for (let at = store + 1; at <= this.#tree.length; at += at & -at) this.#tree[at - 1]!++;
  }

  /** Durable stores whose number is at least this. */
  from(store: number): number {
    let before = 0;
    for (let at = Math.min(store, this.#tree.length); at > 0; at -= at & -at) before += this.#tree[at - 1]!;
    return this.#total - before;
  }

  #grow(): void {
    const size = 2 * this.#isDurable.length;
    const known = this.#isDurable;
    this.#isDurable = new Uint8Array(size);
    this.#isDurable.set(known);
    this.#tree = new Uint32Array(size);
    for (let at = 1; at <= size; at++) {
      this.#tree[at - 1]! += this.#isDurable[at - 1]!;
      const above = at + (at & -at);
      if (above <= size) this.#tree[above - 1]! += this.#tree[at - 1]!;
    }
  }
}
