/** Bytes that the program itself says are unknown (blackout_symbolic in include/blackout.h), by the names that it gives them. */

/** Names that other inputs have. */
const taken = /^(stdin|argument \d|environment |file )/;

/** Names as they come along a path: one that comes again is another input. */
export class NamesMet {
  readonly #counts: Map<string, number>;

  constructor(other?: NamesMet) {
    this.#counts = new Map(other?.counts);
  }
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  meet(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const own = taken.test(name) ? JSON.stringify(name) : name;
    return count === 1 ? own : `${own}#${count}`;
  }
}
