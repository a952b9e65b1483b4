/**
 * What puts a pair of stores in order (PSan, section 5.2): a flush of the earlier one and a fence, after it and before the later one,
 * or both on one line. In the thread that made the earlier one, unless another may read it at once and go on (its Figure 7): then in a
 * thread that reads it, after it has. Always: what the program already does in between is not done again.
 */

import { type OrderFix, outsideTheSystem, type SharedObject, type StorePair } from "../../crash/finding/index.ts";
import {
  type CodeMap,
  type InsertAfter,
  type InsertPatch,
  insertsFor,
  patchKey,
  patchOf,
} from "../../crash/insertions/index.ts";
import type { PlannedPoints } from "../../crash/recovery-tree/index.ts";
import type { ReadOfStore } from "../../machine/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import type { StoreFacts } from "../explain/index.ts";
import type { MadeStore } from "./line-stores.ts";
import { type ClockedPlace, ThreadClocks } from "./thread-clocks.ts";

const clockedPlace = ({ store: { thread }, clock }: MadeStore): ClockedPlace => ({ thread, clock });

export class PairFixes {
  readonly #planned: PlannedPoints;
  readonly #facts: StoreFacts;
  readonly #map: CodeMap;
  readonly #clocks: ThreadClocks | undefined;

  constructor({ trace, places, run }: LeadScene, planned: PlannedPoints, facts: StoreFacts) {
    this.#planned = planned;
    this.#facts = facts;
    this.#clocks = run.threadOrder && new ThreadClocks(trace, run.threadOrder);
    this.#map = { tables: trace.tables, modules: places.modules, isOwn: outsideTheSystem };
  }

  /** Undefined where nothing can be inserted: the code is of no file, or all is there that could be. */
  of(missing: MadeStore, kept: MadeStore): OrderFix | undefined {
    const places = [clockedPlace(missing), clockedPlace(kept)] as const;
    if (this.#clocks?.isReadAtOnce(...places)) return this.#reading(this.#clocks.readBefore(...places), kept);
    const { trace } = this.#planned.source;
    const last = missing.thread === kept.thread ? undefined : this.#clocks?.lastBefore(...places);
    const by = last === undefined ? kept.clock : Math.min(kept.clock, last + 1);
    for (const seq of [this.#lastOfLine(missing, by), missing.store.seq]) {
      const fix = this.#inserted(insertsFor(trace, [seq], by));
      if (fix !== undefined) return fix;
    }
    return undefined;
  }

  #inserted(inserts: readonly InsertAfter[]): OrderFix | undefined {
    const patches = inserts.map((insert) => patchOf(insert, this.#map));
    if (inserts.length === 0 || patches.includes(undefined)) return undefined;
    return { inserts: inserts.map((insert) => this.#placed(insert)), patches: patches as InsertPatch[] };
  }

  /** Before the load, the line may not have the store yet: a flush there is of no use. */
  #reading(read: ReadOfStore | undefined, { clock }: MadeStore): OrderFix | undefined {
    if (read === undefined) return undefined;
    const { thread, site, stack } = read;
    const after = { seq: clock, thread, site, stack };
    const fix = this.#inserted([
      { op: "flush", after },
      { op: "fence", after },
    ]);
    return fix && { ...fix, reads: true };
  }

  /** One flush will do for all that the thread stores to the line by then. */
  #lastOfLine({ line, store, clock }: MadeStore, by: number): number {
    let last = store.seq;
    for (const each of this.#planned.stores.of(line))
      if (each.store.thread === store.thread && each.store.seq >= clock && each.store.seq < by) last = each.store.seq;
    return last;
  }

  #placed({ op, after: { seq, thread, site, stack } }: InsertAfter): OrderFix["inserts"][number] {
    return { op, after: this.#facts.placed({ seq, thread, site, stack }) };
  }
}

/** Each insertion once. */
export function fixOfAll(fixes: readonly (OrderFix | undefined)[]): OrderFix | undefined {
  const inserts = new Map<string, readonly [OrderFix["inserts"][number], OrderFix["patches"][number]]>();
  for (const fix of fixes)
    for (const [at, patch] of fix?.patches.entries() ?? []) inserts.set(patchKey(patch), [fix!.inserts[at]!, patch]);
  if (inserts.size === 0) return undefined;
  const all = [...inserts.values()].sort(([a], [b]) => a.after.mark.seq - b.after.mark.seq);
  const reads = fixes.some((fix) => fix?.reads);
  return {
    inserts: all.map(([insert]) => insert),
    patches: all.map(([, patch]) => patch),
    ...(reads && { reads: true as const }),
  };
}

/** Where one name ends and the other goes on, and both go on to fields of one object. */
const isField = (rest: string): boolean => /^(->|\.)[^[\]]*$/.test(rest);

/** Undefined where the two are not told to be fields of one object. */
export function sharedObject({ missing, kept }: StorePair): SharedObject | undefined {
  const [a, b] = [missing.name, kept.name];
  if (a === undefined || b === undefined || missing.address === undefined || kept.address === undefined)
    return undefined;
  const ends = [...a.matchAll(/->|\./g)].map(({ index }) => index).reverse();
  const end = ends.find((at) => b.startsWith(a.slice(0, at)) && isField(a.slice(at)) && isField(b.slice(at)));
  if (end === undefined || a === b) return undefined;
  const [first, last] = [Math.min(missing.address, kept.address), Math.max(missing.address, kept.address)];
  return { name: a.slice(0, end), lies: last + (kept.mark.size ?? 0) - first <= lineBytes ? "misaligned" : "apart" };
}
