/**
 * Follows each store of a trace to persistent memory until it is durable. Always: stores are numbered as they come; a store
 * is told before what makes it durable, and is durable from the event on that made it so.
 */
import { type CrashSource, CrashWalk } from "../../crash/states/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import { type FilePlace, type LineKey, lineBytes, lineKey, type Mappings } from "../../model/pmem/index.ts";
import { type EventSink, replay } from "../../trace/events/index.ts";
import { codeIn, codeOf, firstNote, inRecord, recordWords, threadIn } from "../../trace/record/index.ts";

export interface StoreRecord {
  readonly words: Uint32Array;
  /** Where in them the store's record begins. */
  readonly at: number;
  readonly seq: number;
  readonly place: FilePlace;
  readonly line: LineKey;
}

export interface StoreListener {
  stored(record: StoreRecord, mappings: Mappings): void;
  /** The thread flushed or fenced. */
  paused(thread: number): void;
  /** By an event of this thread. */
  durable(stores: readonly number[], seq: number, thread: number): void;
}

/** Of one line: its stores that are not durable, and how many are. */
interface LineStores {
  durable: number;
  readonly open: number[];
}

const isStore = (code: number): boolean => code === codeOf.store || code === codeOf["non-temporal"];

class Follower implements EventSink {
  readonly #walk: CrashWalk;
  readonly #mappings: Mappings;
  readonly #watch: StoreListener;
  readonly #lines = new Map<LineKey, LineStores>();
  #count = 0;

  constructor({ trace, bases }: CrashSource, platform: Platform, watch: StoreListener) {
    const readBase = bases.replaying();
    this.#walk = new CrashWalk(trace.tables, { granularity: "flush", allPoints: false, platform, readBase });
    this.#mappings = this.#walk.moment.mappings;
    this.#watch = watch;
  }

  events(words: Uint32Array, first: number): void {
    for (let at = 0; at < words.length; at += recordWords) {
      const seq = first + at / recordWords;
      const code = codeIn(words[at]!);
      if (isStore(code)) this.#store(words, at, seq);
      else if (code < firstNote) this.#watch.paused(threadIn(words[at]!));
      this.#walk.events(words.subarray(at, at + recordWords), seq);
      this.#settle(seq, threadIn(words[at]!));
    }
  }

  end(): void {}

  #store(words: Uint32Array, at: number, seq: number): void {
    const place = this.#mappings.at(words[at + inRecord.address]!);
    if (place === undefined) return;
    const line = lineKey(place.file, Math.floor(place.offset / lineBytes));
    this.#watch.stored({ words, at, seq, place, line }, this.#mappings);
    const known = this.#lines.get(line);
    if (known === undefined) this.#lines.set(line, { durable: 0, open: [this.#count] });
    else known.open.push(this.#count);
    this.#count++;
  }

  #settle(seq: number, thread: number): void {
    for (const { key, durable } of this.#walk.moment.lines.takeRisen()) {
      const line = this.#lines.get(key);
      if (line === undefined) continue;
      this.#watch.durable(line.open.splice(0, durable - line.durable), seq, thread);
      line.durable = durable;
    }
  }

  get left(): readonly number[] {
    return [...this.#lines.values()].flatMap(({ open }) => open).sort((a, b) => a - b);
  }
}

/** Returns the stores that nothing ever made durable. */
export function followStores(source: CrashSource, platform: Platform, watch: StoreListener): readonly number[] {
  const follower = new Follower(source, platform, watch);
  replay(source.trace, follower);
  return follower.left;
}

/** A store that is not durable for so many others keeps nothing open that it is part of. */
const soon = 100_000;

/** Stores that are durable late or never, and those of them that never are. */
export function lateStores(source: CrashSource, platform: Platform) {
  const late = new Set<number>();
  let count = 0;
  const never = followStores(source, platform, {
    stored: () => void count++,
    paused: () => {},
    durable: (stores) => {
      for (const store of stores) if (count - store > soon) late.add(store);
    },
  });
  for (const store of never) late.add(store);
  return { late, never };
}
