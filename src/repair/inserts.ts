/**
 * The simplest insertions that meet a need: a flush of the store, a fence, or both, as X → F(X) → M → I asks (Hippocrates,
 * Theorems 1 to 3). Always: what the program itself already does between X and I is not done again.
 */
import { assert } from "../base/index.ts";
import { eventsBetween, type Trace, type TraceEvent } from "../trace/index.ts";
import type { Need } from "./needs.ts";

/** A flush of what the event stored, or a fence, right after it. */
export interface Insert {
  readonly op: "flush" | "fence";
  readonly after: TraceEvent;
}

const LINE_BYTES = 64;
const lineOf = (address: number): number => Math.floor(address / LINE_BYTES);

type Stored = Extract<TraceEvent, { readonly kind: "store" | "non-temporal" }>;
type Flushed = Extract<TraceEvent, { readonly kind: "clflush" | "clflushopt" | "clwb" }>;

const fences: ReadonlySet<string> = new Set(["sfence", "mfence", "locked"]);
const flushes: ReadonlySet<string> = new Set(["clflush", "clflushopt", "clwb"]);

/** Nothing when the store is durable in time as it is. */
export function insertsFor(trace: Trace, { stores, by }: Need): readonly Insert[] {
  return stores.flatMap((seq) => insertsForStore(trace, seq, by));
}

function insertsForStore(trace: Trace, seq: number, by: number): readonly Insert[] {
  const [store, ...later] = eventsBetween(trace, seq, Math.max(seq + 1, by));
  assert(store?.kind === "store" || store?.kind === "non-temporal", "what is lost is a store");
  const flush = later.find((event): event is Flushed => covers(event, store));
  if (flush?.kind === "clflush") return [];
  const since = store.kind === "non-temporal" ? store : flush;
  const isFenced = later.some(
    (event) => fences.has(event.kind) && event.thread === (since ?? store).thread && event.seq > (since ?? store).seq,
  );
  if (since !== undefined) return isFenced ? [] : [{ op: "fence", after: since }];
  const flushed: Insert = { op: "flush", after: store };
  return isFenced ? [flushed] : [flushed, { op: "fence", after: store }];
}

const covers = (event: TraceEvent, { address, size }: Stored): boolean =>
  flushes.has(event.kind) &&
  "address" in event &&
  lineOf(event.address) === lineOf(address) &&
  lineOf(address) === lineOf(address + size - 1);
