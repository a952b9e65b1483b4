/**
 * The persistency state of a running machine: store buffers, flushes waiting for a fence, and per line the stores that
 * became visible and how many of them are sure to survive (docs/MODEL.md, section 2; machine M4 after Jaaru). Always:
 * - Plain data. Entries are never changed in place, so a copy may share them with its original.
 * - `clock` counts visible stores; the n-th one has sequence number n, over all lines and threads.
 * - A line's log is in sequence order and `persisted` never decreases.
 * Addresses, lines and payloads are the caller's: the payload is whatever tells it what was stored (a value, an event).
 */
import { assert, type Line, type Seq, type ThreadId } from "../../../base/index.ts";

/** A store of at most 8 bytes inside one line; wider ones are split before they come here. */
export interface StoreCell {
  readonly line: Line;
  readonly address: number;
  readonly size: number;
  readonly payload: number;
}

export type BufferEntry =
  | ({ readonly kind: "store" } & StoreCell)
  | ({ readonly kind: "ntstore" } & StoreCell)
  | { readonly kind: "clflush"; readonly line: Line }
  /** `covers`: every store of the line up to this sequence number will be persisted by the flush. */
  | { readonly kind: "clflushopt"; readonly line: Line; readonly covers: Seq }
  | { readonly kind: "sfence" };

export type BufferKind = BufferEntry["kind"];

/** A clflushopt or clwb that left the buffer and waits for a fence of its own thread. */
export interface PendingFlush {
  readonly line: Line;
  readonly covers: Seq;
}

export interface VisibleStore extends StoreCell {
  readonly seq: Seq;
  readonly thread: ThreadId;
}

export interface LineState {
  log: VisibleStore[];
  /** Stores of this line up to this sequence number survive any crash from here on. */
  persisted: Seq;
}

export interface ThreadBuffers {
  buffer: BufferEntry[];
  pending: PendingFlush[];
}

export interface PmState {
  clock: Seq;
  threads: ThreadBuffers[];
  lines: Map<Line, LineState>;
}

export const NO_STORE = 0 as Seq;

export function createPmState(threadCount: number): PmState {
  const threads = Array.from({ length: threadCount }, (): ThreadBuffers => ({ buffer: [], pending: [] }));
  return { clock: NO_STORE, threads, lines: new Map() };
}

export function copyPmState(state: PmState): PmState {
  const lines = new Map<Line, LineState>();
  for (const [line, { log, persisted }] of state.lines) lines.set(line, { log: log.slice(), persisted });
  const threads = state.threads.map(({ buffer, pending }) => ({ buffer: buffer.slice(), pending: pending.slice() }));
  return { clock: state.clock, threads, lines };
}

export function buffersOf(state: PmState, thread: ThreadId): ThreadBuffers {
  const buffers = state.threads[thread];
  assert(buffers !== undefined, "a thread is added to the persistency state before it issues anything");
  return buffers;
}

/** A thread that starts while the machine runs; ids are given in order. */
export function addThread(state: PmState): ThreadId {
  state.threads.push({ buffer: [], pending: [] });
  return (state.threads.length - 1) as ThreadId;
}

export function lineOf(state: PmState, line: Line): LineState {
  let found = state.lines.get(line);
  if (found === undefined) {
    found = { log: [], persisted: NO_STORE };
    state.lines.set(line, found);
  }
  return found;
}

/** How many stores of a line's log are at or before a sequence number. */
export function countUpTo(log: readonly VisibleStore[], seq: Seq): number {
  let count = log.length;
  while (count > 0 && (log[count - 1] as VisibleStore).seq > seq) count--;
  return count;
}

/** The newest visible store that wrote exactly this address, if any. */
export function newestVisible(state: PmState, line: Line, address: number): VisibleStore | undefined {
  return state.lines.get(line)?.log.findLast((store) => store.address === address);
}

/** PM-3. The newest store in the thread's own buffer that overlaps the bytes: what a load of them must see first. */
export function newestBuffered(state: PmState, thread: ThreadId, address: number, size: number): StoreCell | undefined {
  const { buffer } = buffersOf(state, thread);
  for (let index = buffer.length - 1; index >= 0; index--) {
    const entry = buffer[index] as BufferEntry;
    if (entry.kind !== "store" && entry.kind !== "ntstore") continue;
    if (entry.address < address + size && address < entry.address + entry.size) return entry;
  }
  return undefined;
}
