/**
 * Stores that no power cut fell on while they were open, by site: what is said of a program does not hold for them.
 */
import type { TrackedLine } from "../../model/pmem/index.ts";
import type { Trace } from "../../trace/events/index.ts";
import { codeIn, codeOf, inRecord, recordWords } from "../../trace/record/index.ts";

export interface StoreSite {
  readonly site: number;
  /** One of the calling contexts it was reached by. */
  readonly stack: number;
}

/** Every site of a store, with its first calling context. */
function storeSites(trace: Trace): Map<number, number> {
  const sites = new Map<number, number>();
  for (const words of trace.batches())
    for (let at = 0; at < words.length; at += recordWords) {
      const code = codeIn(words[at]!);
      if (code !== codeOf.store && code !== codeOf["non-temporal"]) continue;
      const site = words[at + inRecord.site]!;
      if (!sites.has(site)) sites.set(site, words[at + inRecord.stack]!);
    }
  return sites;
}

/** Shown the open lines of one failure point after another, in the order of the trace. */
export class StoreCoverage {
  readonly #left: Map<number, number>;
  /** Of each line, the stores that were looked at before, counted from its first. */
  readonly #looked = new Map<number, number>();

  constructor(trace: Trace) {
    this.#left = storeSites(trace);
  }

  look(open: readonly TrackedLine[]): void {
    if (this.#left.size === 0) return;
    for (const { key, durable, pending } of open) {
      for (let at = Math.max(0, (this.#looked.get(key) ?? 0) - durable); at < pending.length; at++)
        this.#left.delete(pending[at]!.site);
      this.#looked.set(key, durable + pending.length);
    }
  }

  get uncovered(): readonly StoreSite[] {
    return [...this.#left].map(([site, stack]) => ({ site, stack }));
  }
}
