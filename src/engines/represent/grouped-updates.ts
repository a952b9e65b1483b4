/**
 * The update behaviours of a whole trace, put into groups: one walk over it, in which each store is given its objects and
 * fields, and is followed until it is durable. Always: a store's position is its event's; it is durable from the event on
 * that made it so.
 */
import { type CrashSource, CrashWalk, type LineKey, lineBytes, lineKey, type Mappings } from "../../crash/index.ts";
import type { Platform } from "../../pmem/index.ts";
import type { Places } from "../../subject/index.ts";
import {
  codeIn,
  codeOf,
  type EventSink,
  firstNote,
  inRecord,
  recordWords,
  replay,
  storedBytes,
  threadIn,
} from "../../trace/index.ts";
import { Behaviours, type Link } from "./behaviours.ts";
import { type Group, Kinds } from "./groups.ts";
import type { StoreOrder } from "./order.ts";
import { PartTable, type PlaceNumber, placeNumber } from "./part-table.ts";
import { StoreParts } from "./store-parts.ts";

export interface GroupingOptions {
  readonly platform: Platform;
  /** Whether objects that refer to each other are taken together. */
  readonly linked: boolean;
  /** The event from which on a file that the run creates is complete. */
  readonly complete: number;
}

export interface GroupedUpdates {
  readonly order: StoreOrder;
  readonly parts: PartTable;
  readonly groups: readonly Group[];
  /** Of all groups. */
  readonly behaviours: number;
  /** Stores that debug information named an object of, and those it did not. */
  readonly named: number;
  readonly nameless: number;
  /** Stores that nothing ever made durable. */
  readonly neverDurable: readonly number[];
}

/** Of one line: its stores that are not durable, and how many are. */
interface LineStores {
  durable: number;
  readonly open: number[];
}

const isStore = (code: number): boolean => code === codeOf.store || code === codeOf["non-temporal"];
const wordValues = 2 ** 32;
/** Stores of this many bytes can hold a pointer or an offset. */
const referringBytes = 8;

class StoreWalk implements EventSink {
  readonly #walk: CrashWalk;
  readonly #mappings: Mappings;
  readonly #linked: boolean;
  readonly #lines = new Map<LineKey, LineStores>();
  readonly #storeParts: StoreParts;
  readonly parts = new PartTable();
  readonly behaviours: Behaviours;
  readonly kinds: Kinds;

  constructor({ trace, bases }: CrashSource, places: Places, options: GroupingOptions) {
    const { platform, linked, complete } = options;
    const readBase = bases.replaying();
    this.#walk = new CrashWalk(trace.tables, { granularity: "flush", allPoints: false, platform, readBase });
    this.#mappings = this.#walk.moment.mappings;
    this.#linked = linked;
    this.#storeParts = new StoreParts(places, trace.tables, this.parts);
    this.behaviours = new Behaviours((behaviour) => this.kinds.add(behaviour));
    this.kinds = new Kinds(this.behaviours.order, complete);
  }

  get named(): number {
    return this.#storeParts.named;
  }
  get nameless(): number {
    return this.#storeParts.nameless;
  }

  events(words: Uint32Array, first: number): void {
    for (let at = 0; at < words.length; at += recordWords) {
      const seq = first + at / recordWords;
      const code = codeIn(words[at]!);
      if (isStore(code)) this.#store(words, at, seq);
      else if (code < firstNote) this.#storeParts.pause(threadIn(words[at]!));
      this.#walk.events(words.subarray(at, at + recordWords), seq);
      this.#settle(seq);
    }
  }

  end(): void {
    this.behaviours.end();
  }

  #store(words: Uint32Array, at: number, seq: number): void {
    const address = words[at + inRecord.address]!;
    const place = this.#mappings.at(address);
    if (place === undefined) return;
    const head = words[at]!;
    const size = storedBytes(head);
    const { parts, owner, statement } = this.#storeParts.of({
      thread: threadIn(head),
      site: words[at + inRecord.site]!,
      stack: words[at + inRecord.stack]!,
      address,
      size,
      ...place,
      mapping: this.#mappings.around(address)!,
    });
    const value = words[at + inRecord.low]! + wordValues * words[at + inRecord.high]!;
    const target = this.#linked && size === referringBytes ? this.#targetOf(value, place.file) : undefined;
    const link: Link | undefined =
      target === undefined ? undefined : { owner, target, objects: this.parts.startingAt(target) };
    const line = lineKey(place.file, Math.floor(place.offset / lineBytes));
    const store = this.behaviours.store({ position: seq, line, statement, parts, link });
    const known = this.#lines.get(line);
    if (known === undefined) this.#lines.set(line, { durable: 0, open: [store] });
    else known.open.push(store);
  }

  /** What a value refers to: an address in a persistent file, or an offset in the same file. */
  #targetOf(value: number, file: number): PlaceNumber | undefined {
    if (value === 0 || !Number.isSafeInteger(value)) return undefined;
    const place = this.#mappings.at(value);
    return place === undefined ? placeNumber(file, value) : placeNumber(place.file, place.offset);
  }

  #settle(seq: number): void {
    for (const { key, durable } of this.#walk.moment.lines.takeRisen()) {
      const line = this.#lines.get(key);
      if (line === undefined) continue;
      this.behaviours.durable(line.open.splice(0, durable - line.durable), seq);
      line.durable = durable;
    }
  }

  get neverDurable(): readonly number[] {
    return [...this.#lines.values()].flatMap(({ open }) => open).sort((a, b) => a - b);
  }
}

export function groupUpdates(source: CrashSource, places: Places, options: GroupingOptions): GroupedUpdates {
  const walk = new StoreWalk(source, places, options);
  replay(source.trace, walk);
  const { behaviours, kinds, parts, named, nameless, neverDurable } = walk;
  return {
    order: behaviours.order,
    parts,
    groups: kinds.groups(),
    behaviours: kinds.count,
    named,
    nameless,
    neverDurable,
  };
}
