/** The event being looked at, and what the tables remember of earlier ones: one object, filled anew for each event. */
import type { Mark } from "../../crash/finding/index.ts";
import type { TraceTables } from "../../trace/events/index.ts";
import {
  atFlushPosition,
  atFlushSite,
  atFlushStack,
  atFlushThread,
  entryAt,
  type LineTable,
  slotHigh,
  slotLow,
  slotMeta,
  slotSite,
  slotStack,
  slotStart,
  slotsPerLine,
  slotWords,
} from "./lines.ts";
import type { ThreadState } from "./threads.ts";

const bytesIn = (mask: number): number => 32 - Math.clz32(mask) - lowest(mask);
const lowest = (mask: number): number => 31 - Math.clz32(mask & -mask);

export class EventView {
  readonly lines: LineTable;
  /** Sequence number plus one. */
  position = 0;
  thread = 0;
  site = 0;
  stack = 0;
  address = 0;
  size = 0;
  low = 0;
  high = 0;
  /** The line's entry, 0 for none, and the slot in it that matters. */
  entry = 0;
  slot = 0;
  /** For an overwrite: the place of the store in the slot. */
  earlierSite = 0;
  earlierStack = 0;
  /** For a fence: the thread whose flushes it completes. */
  state: ThreadState | undefined;

  readonly #tables: TraceTables;

  constructor(lines: LineTable, tables: TraceTables) {
    this.lines = lines;
    this.#tables = tables;
  }

  /** The event's address as the user knows it. */
  get shown(): number {
    return this.#tables.original(this.address);
  }

  place(): Mark {
    return { seq: this.position - 1, thread: this.thread, site: this.site, stack: this.stack };
  }

  /** The event itself as a flush, fence or note. */
  atAddress(): Mark {
    const { position, thread, site, stack } = this;
    return { seq: position - 1, thread, site, stack, address: this.shown };
  }

  /** The event itself as a store. */
  store(): Mark {
    const value = BigInt.asUintN(8 * this.size, (BigInt(this.high) << 32n) | BigInt(this.low));
    const { position, thread, site, stack, size } = this;
    return { seq: position - 1, thread, site, stack, address: this.shown, size, value };
  }

  /** The newest store to a slot of the line. */
  storeIn(slot: number = this.slot): Mark {
    const { words } = this.lines;
    const at = entryAt(this.entry) + slotStart + slot * slotWords;
    const meta = words[at + slotMeta]!;
    const mask = (meta >>> 8) & 0xff;
    const offset = lowest(mask);
    const size = bytesIn(mask);
    const wide = (BigInt(words[at + slotHigh]!) << 32n) | BigInt(words[at + slotLow]!);
    return {
      seq: words[at]! - 1,
      thread: meta >>> 16,
      site: words[at + slotSite]!,
      stack: words[at + slotStack]!,
      address: this.#tables.original(words[entryAt(this.entry)]! * 64 + 8 * slot + offset),
      size,
      value: BigInt.asUintN(8 * size, wide >> BigInt(8 * offset)),
    };
  }

  /** The newest flush of the line. */
  flush(): Mark {
    const { words } = this.lines;
    const at = entryAt(this.entry);
    return {
      seq: words[at + atFlushPosition]! - 1,
      thread: words[at + atFlushThread]!,
      site: words[at + atFlushSite]!,
      stack: words[at + atFlushStack]!,
      address: this.#tables.original(words[at]! * 64),
    };
  }

  /** One of the first two runs of flushes that a fence completes. */
  pendingFlush(which: "first" | "second"): Mark {
    const state = this.state!;
    const { site, stack, address, position } = state.place(which === "first" ? "firstGroup" : "secondGroup");
    return { seq: position - 1, thread: state.id, site, stack, address: this.#tables.original(address) };
  }

  /** Slots of the line with a store above a position, oldest store first. */
  slotsAbove(position: number): number[] {
    const { words } = this.lines;
    const positionOf = (slot: number) => words[entryAt(this.entry) + slotStart + slot * slotWords]!;
    return Array.from({ length: slotsPerLine }, (_, slot) => slot)
      .filter((slot) => positionOf(slot) > position)
      .sort((a, b) => positionOf(a) - positionOf(b));
  }
}
