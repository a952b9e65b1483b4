/** Which stores of a run belong together: one thread made them one after the other, and had no fence, call or output in between. */
import type { Trace } from "../../trace/events/index.ts";
import { codeIn, codeOf, inRecord, recordWords, threadIn } from "../../trace/record/index.ts";

const inside: ReadonlySet<number> = new Set(
  (["store", "non-temporal", "clflush", "clflushopt", "clwb"] as const).map((kind) => codeOf[kind]),
);

export class Batches {
  readonly #trace: Trace;
  /** By instruction, those that stored after it in the same batch. */
  readonly #known = new Map<number, ReadonlySet<number>>();

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  /** Whether the second of two instructions stores after the first in one batch, anywhere in the run. */
  readonly hold = (first: number, second: number): boolean => {
    const known = this.#known.get(first) ?? this.#storedAfter(first);
    this.#known.set(first, known);
    return known.has(second);
  };

  #storedAfter(site: number): ReadonlySet<number> {
    const found = new Set<number>();
    const open = new Set<number>();
    for (const words of this.#trace.batches())
      for (let at = 0; at < words.length; at += recordWords) {
        const [code, thread] = [codeIn(words[at]!), threadIn(words[at]!)];
        if (!inside.has(code)) open.delete(thread);
        else if (code === codeOf.store || code === codeOf["non-temporal"]) {
          const stored = words[at + inRecord.site]!;
          if (stored === site) open.add(thread);
          else if (open.has(thread)) found.add(stored);
        }
      }
    return found;
  }
}
