/** Pairs of stores that are not in order, as findings tell of them: by name, with their places, and what puts them in order. */

import type { OrderFacts, StoreFact } from "../../crash/finding/index.ts";
import type { PlannedPoints } from "../../crash/recovery-tree/index.ts";
import { TraceCursor } from "../../crash/states/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { StoreFacts } from "../explain/index.ts";
import { PairFixes, sharedObject } from "./fixes.ts";
import type { MadeStore } from "./line-stores.ts";
import type { FoundPair } from "./pairs.ts";

type ToldPair = Pick<FoundPair, "missing" | "kept" | "reading" | "stale" | "isError">;

export class PairFacts {
  readonly #planned: PlannedPoints;
  readonly #fixes: PairFixes;
  readonly #facts: StoreFacts;
  readonly #cursor: TraceCursor;

  constructor(scene: LeadScene, planned: PlannedPoints) {
    this.#planned = planned;
    this.#facts = new StoreFacts(scene.places, planned.source.trace);
    this.#fixes = new PairFixes(scene, planned, this.#facts);
    this.#cursor = new TraceCursor(planned.source);
  }

  of({ missing, kept, reading, stale, isError }: ToldPair): OrderFacts {
    const pair = { missing: this.#fact(missing), kept: this.#fact(kept) };
    const [fix, object] = [this.#fixes.of(missing, kept), sharedObject(pair)];
    return {
      ...pair,
      reading,
      stale,
      sameValues: !isError,
      ...(fix && { fix }),
      ...(object && { object }),
      others: [],
    };
  }

  #fact({ line, store }: MadeStore): StoreFact {
    const { points } = this.#planned;
    const { file, index } = points.place(line);
    const address = index * lineBytes + store.offset;
    const { mappings } = this.#cursor.before(store.seq + 1);
    return this.#facts.fact({ ...store, path: points.tables.paths[file]!, address }, mappings);
  }
}
