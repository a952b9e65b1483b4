/**
 * Execution graphs (docs/MODEL.md, section 3; after DPTSOsyn): events, who reads from whom, and the coherence order.
 * Always:
 * - Events are numbered 0..n-1; the initial stores come first, then each thread's events in program order.
 * - Every load-like event reads from exactly one store of its location with the value it reads.
 * - A locked update that succeeds is one event; a non-temporal store is a store followed by a flush of its line.
 */
import type { Line, ThreadId } from "../../../base/index.ts";

/** R load, W store, N non-temporal store, U locked update, X failed compare-and-swap, MF SF fences, FL FO flushes. */
export type EventKind = "R" | "W" | "N" | "U" | "X" | "MF" | "SF" | "FL" | "FO";

export const INITIAL = -1 as ThreadId;

export interface Event {
  readonly id: number;
  readonly thread: ThreadId;
  readonly kind: EventKind;
  /** Absent for fences. */
  readonly address?: number;
  readonly line?: Line;
  readonly valueRead?: number;
  readonly valueWritten?: number;
  readonly text: string;
}

export interface Graph {
  readonly events: readonly Event[];
  /** rf, by reader; -1 where an event reads nothing. */
  readonly readsFrom: readonly number[];
  /** rf of loads that read from several stores: by reader, the store that each of the addresses of `coherence` is read from. */
  readonly readByPiece?: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** co, per address, oldest first. An access of several addresses is still one event. */
  readonly coherence: ReadonlyMap<number, readonly number[]>;
}

/** For each address recovery looks at, the store it finds there. */
export type Recovered = ReadonlyMap<number, number>;

export const isStore = (event: Event): boolean => event.kind === "W" || event.kind === "N" || event.kind === "U";
export const isLoad = (event: Event): boolean => event.kind === "R" || event.kind === "U" || event.kind === "X";
export const isInitial = (event: Event): boolean => event.thread === INITIAL;

/** po: initial stores before everything, and each thread's own order. */
export function inProgramOrder(a: Event, b: Event): boolean {
  if (isInitial(a)) return !isInitial(b);
  return a.thread === b.thread && a.id < b.id;
}

/** Where an event reads from, by address. */
export function sourcesOf({ events, readsFrom, readByPiece }: Graph, reader: number): ReadonlyMap<number, number> {
  const pieces = readByPiece?.get(reader);
  if (pieces !== undefined) return pieces;
  const source = readsFrom[reader]!;
  return new Map(source < 0 ? [] : [[events[reader]!.address!, source]]);
}

/** Same-thread or not; initial stores count as another thread's. */
export const isInternal = (a: Event, b: Event): boolean => a.thread === b.thread && !isInitial(a);

/** co as pairs (earlier, later), adjacent and not. */
export function* coherencePairs(order: readonly number[]): Generator<[number, number]> {
  for (let later = 1; later < order.length; later++)
    for (let earlier = 0; earlier < later; earlier++) yield [order[earlier] as number, order[later] as number];
}
