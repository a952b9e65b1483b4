/**
 * The steps of the operational model (docs/MODEL.md, PM-1 to PM-22 and PM-26 to PM-28). Each function is one step and
 * changes the state it is given. Always:
 * - Issuing follows program order; leaving the buffer follows the order table.
 * - A clflushopt leaves as soon as nothing holds it back: leaving later could only make it cover more, so waiting
 *   would add no crash state. What it covers is fixed then; that it is sure to survive, only at a fence.
 * - Only `leave`, `completeFlushes` and the locked operations that call it raise what is persisted.
 */
import { assert, type Line, type Seq, type ThreadId } from "../../../base/index.ts";
import type { PmModel } from "../model.ts";
import { bufferOrderOf, mustLeaveFirst } from "./order.ts";
import {
  type BufferEntry,
  buffersOf,
  lineOf,
  NO_STORE,
  type PendingFlush,
  type PmState,
  type StoreCell,
} from "./state.ts";

export type FlushOp = "clflush" | "clflushopt" | "clwb";

export function issueStore(state: PmState, thread: ThreadId, cell: StoreCell, nonTemporal = false): void {
  buffersOf(state, thread).buffer.push({ kind: nonTemporal ? "ntstore" : "store", ...cell });
}

/** PM-13. A clflushopt covers at least what was visible when it was issued; clwb is the same operation here. */
export function issueFlush(state: PmState, thread: ThreadId, op: FlushOp, line: Line, model: PmModel): void {
  const { buffer } = buffersOf(state, thread);
  if (op === "clflush") {
    buffer.push({ kind: "clflush", line });
    return;
  }
  buffer.push({ kind: "clflushopt", line, covers: model.without.has("PM-13") ? NO_STORE : state.clock });
  settleFlushes(state, thread, model);
}

export function issueSfence(state: PmState, thread: ThreadId): void {
  buffersOf(state, thread).buffer.push({ kind: "sfence" });
}

/** PM-2, PM-4, PM-22. Whether a load may execute now; nothing in the buffer delays it unless a rule is left out. */
export function canLoad(state: PmState, thread: ThreadId, address: number, model: PmModel): boolean {
  if (model.without.size === 0) return true;
  const blocks = (entry: BufferEntry): boolean => {
    if (entry.kind === "sfence") return model.without.has("PM-22");
    if (entry.kind !== "store") return false;
    return model.without.has("PM-2") || (model.without.has("PM-4") && entry.address === address);
  };
  return !buffersOf(state, thread).buffer.some(blocks);
}

/** PM-6. mfence waits until the thread's buffer is empty. */
export function canFence(state: PmState, thread: ThreadId, model: PmModel): boolean {
  return model.without.has("PM-6") || buffersOf(state, thread).buffer.length === 0;
}

/** PM-8. So does a locked operation. */
export function canUpdate(state: PmState, thread: ThreadId, line: Line, model: PmModel): boolean {
  const { buffer } = buffersOf(state, thread);
  if (!model.without.has("PM-8")) return buffer.length === 0;
  return !buffer.some((entry) => entry.kind !== "sfence" && entry.line === line);
}

/** PM-19. */
export function executeMfence(state: PmState, thread: ThreadId, model: PmModel): void {
  assert(canFence(state, thread, model), "PM-6: mfence executes with an empty store buffer");
  if (!model.without.has("PM-19")) completeFlushes(state, thread, model);
}

/** PM-7, PM-20. A locked operation completes flushes and its store, if it has one, is visible at once. */
export function executeLocked(
  state: PmState,
  thread: ThreadId,
  line: Line,
  cell: StoreCell | undefined,
  model: PmModel,
): void {
  assert(canUpdate(state, thread, line, model), "PM-8: a locked operation executes with an empty store buffer");
  if (!model.without.has("PM-20")) completeFlushes(state, thread, model);
  if (cell !== undefined) becomeVisible(state, thread, cell);
}

/** Buffer positions that may leave now, oldest first. clflushopt is not among them: it leaves by itself. */
export function departures(state: PmState, thread: ThreadId, model: PmModel): number[] {
  const { buffer } = buffersOf(state, thread);
  const table = bufferOrderOf(model);
  const free: number[] = [];
  for (let index = 0; index < buffer.length; index++) {
    const entry = buffer[index] as BufferEntry;
    if (entry.kind !== "clflushopt" && !isHeldBack(buffer, index, table)) free.push(index);
  }
  return free;
}

/** One buffered operation takes effect. */
export function leave(state: PmState, thread: ThreadId, index: number, model: PmModel): BufferEntry {
  const buffers = buffersOf(state, thread);
  const entry = buffers.buffer[index];
  assert(entry !== undefined, "only an entry of the buffer can leave it");
  const table = bufferOrderOf(model);
  assert(!isHeldBack(buffers.buffer, index, table), "PM-1: an entry leaves after all that is ordered before it");
  buffers.buffer.splice(index, 1);
  effects[entry.kind](state, thread, entry as never, model);
  raiseCover(state, buffers.buffer, index, entry, model);
  settleFlushes(state, thread, model);
  return entry;
}

/** Whether a step that completes the thread's flushes would make anything newly sure to survive. */
export function wouldPersist(state: PmState, thread: ThreadId): boolean {
  return buffersOf(state, thread).pending.some(({ line, covers }) => raises(state, line, covers));
}

/** Whether persisting a line up to a sequence number would change what a crash can leave. */
export function raises(state: PmState, line: Line, upTo: Seq): boolean {
  const found = state.lines.get(line);
  return found?.log.some(({ seq }) => seq > found.persisted && seq <= upTo) ?? false;
}

/** PM-18 to PM-21. A fence completes the flushes its own thread issued before it, and no other thread's. */
export function completeFlushes(state: PmState, thread: ThreadId, model: PmModel): PendingFlush[] {
  const owners = model.without.has("PM-21") ? state.threads : [buffersOf(state, thread)];
  const completed = owners.flatMap((owner) => owner.pending);
  for (const owner of owners) owner.pending = [];
  for (const { line, covers } of completed) persist(state, line, covers);
  return completed;
}

function persist(state: PmState, line: Line, upTo: Seq): void {
  assert(upTo <= state.clock, "PM-17: a flush covers only stores that are visible");
  const found = lineOf(state, line);
  if (upTo > found.persisted) found.persisted = upTo;
}

function becomeVisible(state: PmState, thread: ThreadId, cell: StoreCell): void {
  state.clock = (state.clock + 1) as Seq;
  const { line, address, size, payload } = cell;
  lineOf(state, line).log.push({ seq: state.clock, thread, line, address, size, payload });
}

function isHeldBack(buffer: readonly BufferEntry[], index: number, table: ReturnType<typeof bufferOrderOf>): boolean {
  const entry = buffer[index] as BufferEntry;
  for (let before = 0; before < index; before++)
    if (mustLeaveFirst(table, buffer[before] as BufferEntry, entry)) return true;
  return false;
}

type Effect<Kind> = (
  state: PmState,
  thread: ThreadId,
  entry: Extract<BufferEntry, { kind: Kind }>,
  model: PmModel,
) => void;

const effects: { readonly [Kind in BufferEntry["kind"]]: Effect<Kind> } = {
  store: (state, thread, cell) => becomeVisible(state, thread, cell),
  /** PM-28. A non-temporal store brings its own flush, which waits for a fence like any other. */
  ntstore: (state, thread, cell, model) => {
    becomeVisible(state, thread, cell);
    if (!model.without.has("PM-28")) addPending(state, thread, cell.line, state.clock, model);
  },
  /** PM-12. */
  clflush: (state, _thread, { line }, model) => {
    if (!model.without.has("PM-12")) persist(state, line, state.clock);
  },
  clflushopt: (state, thread, { line, covers }, model) => addPending(state, thread, line, covers, model),
  /** PM-18. */
  sfence: (state, thread, _entry, model) => {
    if (!model.without.has("PM-18")) completeFlushes(state, thread, model);
  },
};

/** PM-17. A flush that left the buffer promises nothing yet. */
function addPending(state: PmState, thread: ThreadId, line: Line, covers: Seq, model: PmModel): void {
  if (model.without.has("PM-17")) persist(state, line, covers);
  else buffersOf(state, thread).pending.push({ line, covers });
}

/** PM-14, PM-15. Later clflushopts cover whatever was visible when an operation ordered before them took effect. */
function raiseCover(state: PmState, buffer: BufferEntry[], from: number, left: BufferEntry, model: PmModel): void {
  const table = bufferOrderOf(model);
  for (let index = from; index < buffer.length; index++) {
    const entry = buffer[index] as BufferEntry;
    if (entry.kind !== "clflushopt" || !mustLeaveFirst(table, left, entry)) continue;
    buffer[index] = { ...entry, covers: state.clock };
  }
}

/** PM-16. clflushopts with nothing ordered before them in the buffer leave it. */
function settleFlushes(state: PmState, thread: ThreadId, model: PmModel): void {
  const { buffer } = buffersOf(state, thread);
  const table = bufferOrderOf(model);
  for (let index = 0; index < buffer.length; index++) {
    const entry = buffer[index] as BufferEntry;
    if (entry.kind !== "clflushopt" || isHeldBack(buffer, index, table)) continue;
    buffer.splice(index--, 1);
    effects.clflushopt(state, thread, entry, model);
  }
}
