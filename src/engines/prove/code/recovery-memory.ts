/**
 * Memory as the function sees it that runs after a crash: what a crash left, and on top what it has stored itself. It runs alone, so
 * that its own stores need no memory model.
 */
import type { Term, Terms } from "../../../smt/index.ts";
import type { TakeEvent } from "./code-events.ts";

interface OwnStore {
  readonly address: Term;
  readonly size: number;
  readonly stored: Term;
  readonly when: Term;
}

/** What is read of what a crash left, where recovery comes by. */
export interface CrashedLoad {
  readonly address: Term;
  readonly size: number;
  readonly found: Term;
  readonly when: Term;
  readonly at: number;
}

export class RecoveryMemory {
  readonly #terms: Terms;
  readonly #unknown: (size: number) => Term;
  readonly #stores: OwnStore[] = [];
  readonly #loads = new Map<string, CrashedLoad>();

  constructor(terms: Terms, unknown: (size: number) => Term) {
    this.#terms = terms;
    this.#unknown = unknown;
  }

  get loads(): readonly CrashedLoad[] {
    return [...this.#loads.values()];
  }

  readonly find = (address: Term, size: number, reached: Term): Term =>
    this.#stores.reduce(
      (value, store) => this.#overwritten(value, store, address, size, reached),
      this.#left(address, size, this.#terms.and(reached, this.#terms.not(this.#isOwn(address, size)))),
    );

  /** Recovery finds what it has stored itself and nothing of what a crash left. */
  #isOwn(address: Term, size: number): Term {
    const whole = this.#stores.filter((store) => store.size === size);
    return this.#terms.or(
      ...whole.map((store) => this.#terms.and(store.when, this.#terms.equal(store.address, address))),
    );
  }

  readonly take: TakeEvent = (event, reached) => {
    if (event.kind !== "store" && event.kind !== "update") return;
    const { address, size, stored } = event;
    const happens = event.kind === "store" ? event.when : this.#terms.not(event.fails);
    this.#stores.push({ address, size, stored, when: this.#terms.and(reached, happens) });
  };

  /** The same bytes are read once, however often. */
  #left(address: Term, size: number, reached: Term): Term {
    const key = `${address.id} ${size}`;
    const known = this.#loads.get(key);
    const found = known?.found ?? this.#unknown(size);
    const when = known === undefined ? reached : this.#terms.or(known.when, reached);
    this.#loads.set(key, { address, size, found, when, at: known?.at ?? 0 });
    return found;
  }

  #overwritten(value: Term, store: OwnStore, address: Term, size: number, reached: Term): Term {
    const terms = this.#terms;
    if (store.size === size)
      return terms.choose(terms.and(store.when, terms.equal(store.address, address)), store.stored, value);
    if (terms.and(store.when, reached) === terms.false) return value;
    let bytes = this.#byteOf(value, store, address, size - 1);
    for (let at = size - 2; at >= 0; at--) bytes = terms.concat(bytes, this.#byteOf(value, store, address, at));
    return bytes;
  }

  /** One byte of a load of another size. */
  #byteOf(value: Term, { address: stored, stored: data, size, when }: OwnStore, address: Term, at: number): Term {
    const terms = this.#terms;
    const moved = (base: Term, by: number) => terms.compute("add", base, terms.constant(64, BigInt(by)));
    let byte = terms.extract(value, 8 * at, 8);
    for (let from = 0; from < size; from++) {
      const same = terms.equal(moved(address, at), moved(stored, from));
      byte = terms.choose(terms.and(when, same), terms.extract(data, 8 * from, 8), byte);
    }
    return byte;
  }
}
