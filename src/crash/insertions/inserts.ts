/**
 * The simplest insertions that meet a need: a flush of the store, a fence, or both, as X → F(X) → M → I asks (Hippocrates,
 * Theorems 1 to 3). Always: what the program itself already does between X and I is not done again.
 */
import { assert } from "../../base/index.ts";
import { type EventPlace, eventsBetween, type Trace, type TraceEvent } from "../../trace/events/index.ts";

/** A flush of what the event stored, or a fence, right after it. */
export interface Insert {
  readonly op: "flush" | "fence";
  readonly after: TraceEvent;
}

/** The same after an instruction that need not be an event: a load, say, whose bytes are flushed then. */
export interface InsertAfter extends Pick<Insert, "op"> {
  readonly after: EventPlace & { readonly seq: number };
}

const LINE_BYTES = 64;
const lineOf = (address: number): number => Math.floor(address / LINE_BYTES);

type Stored = Extract<TraceEvent, { readonly kind: "store" | "non-temporal" }>;
type Flushed = Extract<TraceEvent, { readonly kind: "clflush" | "clflushopt" | "clwb" }>;

const fences: ReadonlySet<string> = new Set(["sfence", "mfence", "locked"]);
const flushes: ReadonlySet<string> = new Set(["clflush", "clflushopt", "clwb"]);

/** Nothing for a store that is durable before event `by` as it is. */
export function insertsFor(trace: Trace, stores: readonly number[], by: number): readonly Insert[] {
  return stores.flatMap((seq) => insertsForStore(trace, seq, by));
}

/** After a flush, or a store that needs none, that nothing of its thread completes. */
export function fenceAfter(trace: Trace, seq: number): Insert {
  const [after] = eventsBetween(trace, seq, seq + 1);
  assert(after !== undefined, "what a finding is about is an event of its trace");
  return { op: "fence", after };
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

/**
 * Whether what event `from` stored, or flushed, is durable before event `by`: a flush of every line of it and a fence of the same
 * thread behind. Events that `isLeft` says are left out do not count.
 */
export function isDurableBefore(
  events: readonly TraceEvent[],
  from: number,
  by: number,
  isLeft: (event: TraceEvent) => boolean,
): boolean {
  const event = events[from]!;
  const needsFlush = event.kind === "store";
  let flushed = needsFlush ? undefined : event;
  for (let at = from + 1; at < by; at++) {
    const later = events[at]!;
    if (isLeft(later)) continue;
    if (flushed !== undefined && fences.has(later.kind) && later.thread === flushed.thread) return true;
    if (!needsFlush || !covers(later, event)) continue;
    if (later.kind === "clflush") return true;
    flushed ??= later;
  }
  return false;
}

/** The first promise after event `from` that what was stored there is durable: a line of output, or a change of a file. */
export function firstPromise(trace: Trace, from: number, cut: number, calls: readonly number[]): number | undefined {
  const call = calls.find((seq) => seq > from && seq <= cut);
  for (const { kind, seq } of eventsBetween(trace, Math.min(from + 1, cut), call ?? cut))
    if (kind === "output") return seq;
  return call;
}

/** The first store after event `from` that a crash kept: what is not among the lost is there, though no flush of it may have come. */
export function firstKept(
  trace: Trace,
  from: number,
  cut: number,
  _calls: readonly number[],
  lost: ReadonlySet<number>,
): number | undefined {
  for (const { kind, seq } of eventsBetween(trace, Math.min(from + 1, cut), cut))
    if ((kind === "store" || kind === "non-temporal") && !lost.has(seq)) return seq;
  return undefined;
}

/**
 * The first thing after event `from` that could depend on what was stored there: a promise, or a store that is durable when the
 * power is cut. `calls` are the events that files were changed before. Undefined when there is none, so that what depends on it must
 * have been durable before.
 */
export function firstDependent(trace: Trace, from: number, cut: number, calls: readonly number[]): number | undefined {
  /** Stores by line, and lines by thread that a fence will make durable. */
  const stored = new Map<number, number>();
  const asked = new Map<number, Set<number>>();
  let first = firstPromise(trace, from, cut, calls);
  const note = (seq: number | undefined) => {
    if (seq !== undefined && seq < (first ?? cut)) first = seq;
  };
  for (const event of eventsBetween(trace, Math.min(from + 1, cut), cut)) {
    if (event.kind === "store" || event.kind === "non-temporal") {
      const line = lineOf(event.address);
      if (!stored.has(line)) stored.set(line, event.seq);
      if (event.kind === "non-temporal") ask(asked, event.thread, line);
    } else if (event.kind === "clflush") note(stored.get(lineOf(event.address)));
    else if (event.kind === "clwb" || event.kind === "clflushopt") ask(asked, event.thread, lineOf(event.address));
    else if (fences.has(event.kind)) {
      for (const line of asked.get(event.thread) ?? []) note(stored.get(line));
      asked.delete(event.thread);
    }
  }
  return first;
}

function ask(asked: Map<number, Set<number>>, thread: number, line: number): void {
  if (!asked.has(thread)) asked.set(thread, new Set());
  asked.get(thread)!.add(line);
}

const covers = (event: TraceEvent, { address, size }: Stored): boolean =>
  flushes.has(event.kind) &&
  "address" in event &&
  lineOf(event.address) === lineOf(address) &&
  lineOf(address) === lineOf(address + size - 1);
