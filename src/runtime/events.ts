/**
 * PM events as compiled code logs them: fixed records in a buffer that the machine empties when it fills.
 * Record (24 bytes): kind, size, thread (u8, u8, u16) · rip (u32) · address (u32) · calling context (u32) · value (u64).
 * Stores wider than 8 bytes, or that cross an 8-byte boundary, become several records (docs/MODEL.md: failure atomicity).
 */
import type { FenceOp, FlushOp } from "../ir/index.ts";
import { Code, type ModuleBuilder, type ValueType } from "../wasm/index.ts";
import type { ContextFunctions } from "./contexts.ts";
import { cell, cpuAddress, layout, stop } from "./layout.ts";

export const eventKinds = [
  "clflush",
  "clflushopt",
  "clwb",
  "sfence",
  "mfence",
  "lfence",
  "locked",
  "store",
  "non-temporal",
] as const satisfies readonly (FlushOp | FenceOp | "store" | "non-temporal")[];
export type EventKind = (typeof eventKinds)[number];
export const eventCode = (kind: EventKind): number => eventKinds.indexOf(kind);
export const eventBytes = 24;

/** A store checks for this much room, an instruction that stores twice for twice as much before it begins. */
const storeRoom = 8 * eventBytes;

export interface EventFunctions {
  readonly contexts: ContextFunctions;
  /** (kind, size, address, rip, value i64): appends without asking for room. */
  readonly append: number;
  /** () → 1 if a store's events fit. */
  readonly roomForStore: number;
  readonly roomForInstruction: number;
}

interface RecordParts {
  /** Where the record goes, a local. */
  readonly at: number;
  /** Each leaves its value: kind and size as 16 bits, addresses as i32, the value as i64. */
  kindAndSize(): void;
  address(): void;
  rip(): void;
  value(): void;
}

/** Writes a record and moves on. The context is the newest frame's, once that has its number; before the first lie zeros. */
export function emitRecord(c: Code, parts: RecordParts, contexts: ContextFunctions): void {
  const { at } = parts;
  const context = c.local("i32");
  const beforeNext = -4;
  c.i32(0).memory("i32.load", cpuAddress(cell.frameNext)).i32(beforeNext).op("i32.add").memory("i32.load");
  c.tee(context).op("i32.eqz").if_();
  c.call(contexts.current).set(context);
  c.end();
  c.get(at).i32(0).memory("i32.load", cpuAddress(cell.thread)).i32(16).op("i32.shl");
  parts.kindAndSize();
  c.op("i32.or").memory("i32.store");
  c.get(at);
  parts.rip();
  c.memory("i32.store", 4);
  c.get(at);
  parts.address();
  c.memory("i32.store", 8);
  c.get(at).get(context).memory("i32.store", 12);
  c.get(at);
  parts.value();
  c.memory("i64.store", 16);
  c.i32(0).get(at).i32(eventBytes).op("i32.add").memory("i32.store", cpuAddress(cell.eventNext));
}

/** Leaves the place of the next record in `at`; does what `whenFull` says if a store's events do not fit there. */
function emitPlace(c: Code, at: number, whenFull: () => void): void {
  c.i32(0)
    .memory("i32.load", cpuAddress(cell.eventNext))
    .tee(at)
    .i32(layout.eventsEnd - storeRoom)
    .op("i32.gt_u")
    .if_();
  whenFull();
  c.end();
}

/** For what has had no effect yet: the instruction stops, and runs again once there is room. */
export const emitRoom = (c: Code, at: number): void => emitPlace(c, at, () => c.i32(stop.eventsFull).return_());

/** For what cannot run again, as a locked operation whose store is done: the buffer is emptied at once. */
export const emitRoomAtOnce = (c: Code, at: number, empty: number): void =>
  emitPlace(c, at, () => c.call(empty).i32(0).memory("i32.load", cpuAddress(cell.eventNext)).set(at));

function appendFunction(contexts: ContextFunctions): Code {
  const [kind, size, address, rip, value] = [0, 1, 2, 3, 4];
  const c = new Code(["i32", "i32", "i32", "i32", "i64"]);
  const at = c.local("i32");
  c.i32(0).memory("i32.load", cpuAddress(cell.eventNext)).set(at);
  const kindAndSize = () => c.get(size).i32(8).op("i32.shl").get(kind).op("i32.or");
  emitRecord(
    c,
    { at, kindAndSize, address: () => c.get(address), rip: () => c.get(rip), value: () => c.get(value) },
    contexts,
  );
  return c;
}

function roomFunction(bytes: number): Code {
  const c = new Code([]);
  c.i32(0)
    .memory("i32.load", cpuAddress(cell.eventNext))
    .i32(layout.eventsEnd - bytes)
    .op("i32.le_u");
  return c;
}

export function addEventFunctions(module: ModuleBuilder, contexts: ContextFunctions): EventFunctions {
  const append = module.function(
    { params: ["i32", "i32", "i32", "i32", "i64"], results: [] },
    appendFunction(contexts),
  );
  const roomForStore = module.function({ params: [], results: ["i32"] }, roomFunction(storeRoom));
  const roomForInstruction = module.function({ params: [], results: ["i32"] }, roomFunction(2 * storeRoom));
  return { contexts, append, roomForStore, roomForInstruction };
}

interface StoreShape {
  readonly size: number;
  readonly type: ValueType;
  readonly nonTemporal: boolean;
}
interface StoreLocals {
  readonly address: number;
  readonly value: number;
  readonly rip: number;
}

/** Logs a store of at most eight bytes that lies within an aligned eight. */
export function emitWholeStoreEvent(c: Code, shape: StoreShape, locals: StoreLocals, events: EventFunctions): void {
  const at = c.local("i32");
  emitRoom(c, at);
  emitRecord(
    c,
    {
      at,
      kindAndSize: () => c.i32(eventCode(shape.nonTemporal ? "non-temporal" : "store") | (shape.size << 8)),
      address: () => c.get(locals.address),
      rip: () => c.get(locals.rip),
      value: () => (shape.type === "i32" ? c.get(locals.value).op("i64.extend_i32_u") : c.get(locals.value)),
    },
    events.contexts,
  );
}

/** Logs a store, whole if it lies within eight aligned bytes, else in pieces; returns stop.eventsFull for want of room. */
export function emitStoreEvents(c: Code, shape: StoreShape, locals: StoreLocals, events: EventFunctions): void {
  const kind = eventCode(shape.nonTemporal ? "non-temporal" : "store");
  c.call(events.roomForStore).op("i32.eqz").if_();
  c.i32(stop.eventsFull).return_();
  c.end();
  if (shape.type === "v128") {
    for (const lane of [0, 1])
      emitPieces(c, kind, 8, locals, 8 * lane, () => c.get(locals.value).op("i64x2.extract_lane", lane), events);
  } else {
    const wide = () => {
      c.get(locals.value);
      if (shape.type === "i32") c.op("i64.extend_i32_u");
    };
    emitPieces(c, kind, shape.size, locals, 0, wide, events);
  }
}

/** One record, or two when the bytes at address+offset straddle an aligned eight. */
function emitPieces(
  c: Code,
  kind: number,
  size: number,
  locals: StoreLocals,
  offset: number,
  value: () => void,
  events: EventFunctions,
): void {
  const at = c.local("i32");
  const head = c.local("i32");
  c.get(locals.address).i32(offset).op("i32.add").set(at);
  c.i32(8).get(at).i32(7).op("i32.and").op("i32.sub").tee(head);
  c.i32(size).op("i32.ge_u").if_();
  c.i32(kind).i32(size).get(at).get(locals.rip);
  value();
  c.call(events.append);
  c.else_();
  c.i32(kind).get(head).get(at).get(locals.rip);
  value();
  c.i64(-1n).i32(64).get(head).i32(3).op("i32.shl").op("i32.sub").op("i64.extend_i32_u").op("i64.shr_u").op("i64.and");
  c.call(events.append);
  c.i32(kind).i32(size).get(head).op("i32.sub").get(at).get(head).op("i32.add").get(locals.rip);
  value();
  c.get(head).i32(3).op("i32.shl").op("i64.extend_i32_u").op("i64.shr_u");
  c.call(events.append);
  c.end();
}
