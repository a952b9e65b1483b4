/**
 * PM events as compiled code logs them: records (trace/record/fields.ts) in a buffer that the machine empties when it fills.
 * Stores that cross an aligned eight bytes become several records, cut as trace/record/pieces.ts says.
 */

import { Code, type ModuleBuilder, type ValueType } from "../../isa/wasm/index.ts";
import { codeOf, furtherPiece, inRecord, recordBytes } from "../../trace/record/index.ts";
import type { ContextFunctions } from "./contexts.ts";
import { cell, cpuAddress, layout, stop } from "./layout.ts";

/** A store checks for this much room, an instruction that stores twice for twice as much before it begins. */
const storeRoom = 8 * recordBytes;

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
  c.memory("i32.store", 4 * inRecord.site);
  c.get(at);
  parts.address();
  c.memory("i32.store", 4 * inRecord.address);
  c.get(at)
    .get(context)
    .memory("i32.store", 4 * inRecord.stack);
  c.get(at);
  parts.value();
  c.memory("i64.store", 4 * inRecord.low);
  c.i32(0).get(at).i32(recordBytes).op("i32.add").memory("i32.store", cpuAddress(cell.eventNext));
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
const kindOfStore = ({ nonTemporal }: StoreShape): number => codeOf[nonTemporal ? "non-temporal" : "store"];

interface StoreLocals {
  readonly address: number;
  /** One, or two vectors. */
  readonly values: readonly number[];
  readonly rip: number;
}

/** Logs a store of at most eight bytes that lies within an aligned eight. */
export function emitWholeStoreEvent(
  c: Code,
  shape: StoreShape,
  locals: { readonly address: number; readonly value: number; readonly rip: number },
  events: EventFunctions,
): void {
  const at = c.local("i32");
  emitRoom(c, at);
  emitRecord(
    c,
    {
      at,
      kindAndSize: () => c.i32(kindOfStore(shape) | (shape.size << 8)),
      address: () => c.get(locals.address),
      rip: () => c.get(locals.rip),
      value: () => (shape.type === "i32" ? c.get(locals.value).op("i64.extend_i32_u") : c.get(locals.value)),
    },
    events.contexts,
  );
}

/** Logs a store, whole if it lies within eight aligned bytes, else in pieces; returns stop.eventsFull for want of room. */
export function emitStoreEvents(c: Code, shape: StoreShape, locals: StoreLocals, events: EventFunctions): void {
  c.call(events.roomForStore).op("i32.eqz").if_();
  c.i32(stop.eventsFull).return_();
  c.end();
  const pieces = new Pieces(c, kindOfStore(shape), locals, events);
  if (shape.type === "v128") pieces.words();
  else pieces.eightAtMost(shape.size, shape.type);
}

class Pieces {
  readonly #c: Code;
  readonly #kind: number;
  readonly #locals: StoreLocals;
  readonly #events: EventFunctions;
  /** Bytes up to the next aligned eight, and as many bits. */
  readonly #head: number;
  readonly #bits: number;

  constructor(c: Code, kind: number, locals: StoreLocals, events: EventFunctions) {
    this.#c = c;
    this.#kind = kind;
    this.#locals = locals;
    this.#events = events;
    this.#head = c.local("i32");
    this.#bits = c.local("i64");
    c.i32(8).get(locals.address).i32(7).op("i32.and").op("i32.sub").tee(this.#head);
    c.i32(3).op("i32.shl").op("i64.extend_i32_u").set(this.#bits);
  }

  /** One record, or two. */
  eightAtMost(size: number, type: ValueType): void {
    const c = this.#c;
    const value = () => {
      c.get(this.#locals.values[0]!);
      if (type === "i32") c.op("i64.extend_i32_u");
    };
    c.get(this.#head).i32(size).op("i32.ge_u").if_();
    this.#append(() => c.i32(size), this.#atStart, value);
    c.else_();
    this.#append(this.#toHead, this.#atStart, () => this.#below(value));
    this.#append(this.#afterHead(size), this.#toHead, () => this.#above(value));
    c.end();
  }

  /** As many records as there are words, or one more. */
  words(): void {
    const c = this.#c;
    const words = this.#locals.values.flatMap((value) =>
      [0, 1].map((lane) => () => void c.get(value).op("i64x2.extract_lane", lane)),
    );
    const eightMore = () => c.i32(8 | furtherPiece);
    c.get(this.#head).i32(8).op("i32.eq").if_();
    for (const [i, word] of words.entries())
      this.#append(i === 0 ? () => c.i32(8) : eightMore, () => c.i32(8 * i), word);
    c.else_();
    this.#append(this.#toHead, this.#atStart, () => this.#below(words[0]!));
    const behindHead = (words: number) => () =>
      this.#toHead()
        .i32(8 * words)
        .op("i32.add");
    for (const [i, word] of words.slice(1).entries())
      this.#append(eightMore, behindHead(i), () => {
        this.#above(words[i]!);
        word();
        c.i64(64n).get(this.#bits).op("i64.sub").op("i64.shl").op("i64.or");
      });
    this.#append(this.#afterHead(8), behindHead(words.length - 1), () => this.#above(words.at(-1)!));
    c.end();
  }

  readonly #atStart = (): Code => this.#c.i32(0);
  readonly #toHead = (): Code => this.#c.get(this.#head);
  /** What is left of so many bytes, as a further piece. */
  readonly #afterHead = (bytes: number) => (): Code =>
    this.#c.i32(bytes).get(this.#head).op("i32.sub").i32(furtherPiece).op("i32.or");

  /** A value's bytes before the next aligned eight, and those behind them. */
  #below(value: () => void): void {
    value();
    this.#c.i64(-1n).i64(64n).get(this.#bits).op("i64.sub").op("i64.shr_u").op("i64.and");
  }
  #above(value: () => void): void {
    value();
    this.#c.get(this.#bits).op("i64.shr_u");
  }

  #append(size: () => Code, skipped: () => Code, value: () => void): void {
    const c = this.#c;
    c.i32(this.#kind);
    size();
    skipped().get(this.#locals.address).op("i32.add").get(this.#locals.rip);
    value();
    c.call(this.#events.append);
  }
}
