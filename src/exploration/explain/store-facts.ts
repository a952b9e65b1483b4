/** Stores of a trace as findings tell of them: with the calls that led to them, and what was stored to, by name. */

import type { Mark, PlacedMark, StoreFact } from "../../crash/finding/index.ts";
import type { Mappings } from "../../model/pmem/index.ts";
import { storedValue } from "../../model/pmem/index.ts";
import { NamedStores, type Places } from "../../session/subject/index.ts";
import type { Trace } from "../../trace/events/index.ts";
import type { LostStore } from "./culprits.ts";

export class StoreFacts {
  readonly #places: Places;
  readonly #names: NamedStores;

  constructor(places: Places, trace: Trace) {
    this.#places = places;
    this.#names = new NamedStores(places, trace);
  }

  placed(mark: Mark): PlacedMark {
    return { mark, frames: this.#places.resolver.frames(mark.site, mark.stack) };
  }

  /** What the store that is event `seq` goes to, as the source says it, and by its type. */
  namedAt(seq: number, mappings: Mappings): Pick<StoreFact, "name" | "number"> {
    const { name, number } = this.#names.at(seq, mappings) ?? {};
    return { ...(name && { name }), ...(number && { number }) };
  }

  /** `mappings` are those of then, or of soon after. */
  fact(store: LostStore, mappings: Mappings): StoreFact {
    const { seq, thread, site, stack, address, size, path } = store;
    const placed = this.placed({ seq, thread, site, stack, address, size, value: storedValue(store) });
    const named = this.#names.at(seq, mappings);
    if (named === undefined) return { ...placed, path };
    const { address: inGuest, name, number } = named;
    return { ...placed, path, address: inGuest, ...(name && { name }), ...(number && { number }) };
  }
}
