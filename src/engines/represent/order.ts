/**
 * Which stores a crash can only keep together with which others: A before B if A was sure to be durable when B was issued,
 * or if both lie in one line and A came first (Squint, step B). It is an interval order: two positions for each store say it
 * all, and edges exist only in drawings. Always:
 * - Stores are numbered in the order in which they were issued.
 * - Positions count events of the trace; a store that nothing made durable has none for that.
 */
const NEVER = 0xffff_ffff;

export class StoreOrder {
  #count = 0;
  #issued = new Uint32Array(1024);
  #durable = new Uint32Array(1024);
  #line = new Float64Array(1024);
  #statement = new Uint32Array(1024);

  get count(): number {
    return this.#count;
  }

  /** `statement` is the number of the one that made the store. */
  issue(position: number, line: number, statement = 0): number {
    if (this.#count === this.#issued.length) this.#grow();
    const store = this.#count++;
    this.#issued[store] = position;
    this.#durable[store] = NEVER;
    this.#line[store] = line;
    this.#statement[store] = statement;
    return store;
  }

  makeDurable(store: number, position: number): void {
    this.#durable[store] = position;
  }

  isDurable(store: number): boolean {
    return this.#durable[store] !== NEVER;
  }

  issuedAt(store: number): number {
    return this.#issued[store]!;
  }

  /** Undefined: never in this run. */
  durableAt(store: number): number | undefined {
    return this.isDurable(store) ? this.#durable[store] : undefined;
  }

  lineOf(store: number): number {
    return this.#line[store]!;
  }

  statementOf(store: number): number {
    return this.#statement[store]!;
  }

  precedes(a: number, b: number): boolean {
    if (a >= b) return false;
    return this.#durable[a]! < this.#issued[b]! || this.#line[a] === this.#line[b];
  }

  #grow(): void {
    const size = 2 * this.#issued.length;
    const longer = <Column extends Uint32Array | Float64Array>(column: Column, into: Column): Column => {
      into.set(column);
      return into;
    };
    this.#issued = longer(this.#issued, new Uint32Array(size));
    this.#durable = longer(this.#durable, new Uint32Array(size));
    this.#line = longer(this.#line, new Float64Array(size));
    this.#statement = longer(this.#statement, new Uint32Array(size));
  }
}
