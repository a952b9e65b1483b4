/**
 * The update behaviours of a whole trace, put into groups. The trace is walked twice: what is durable late or never has to be
 * known before, so that it does not make one behaviour of everything that follows.
 */
import type { CrashSource } from "../../crash/states/index.ts";
import type { Mappings, Platform } from "../../model/pmem/index.ts";
import type { Places } from "../../session/subject/index.ts";
import { inRecord, storedBytes, threadIn } from "../../trace/record/index.ts";
import { Behaviours, type Link } from "./behaviours.ts";
import { followStores, lateStores, type StoreListener, type StoreRecord } from "./followed-stores.ts";
import { type Group, Kinds } from "./groups.ts";
import type { KnownUpdates } from "./known-updates.ts";
import type { StoreOrder } from "./order.ts";
import { type PartTable, type PlaceNumber, placeNumber } from "./part-table.ts";
import { StoreParts } from "./store-parts.ts";
import type { Precedence } from "./threads.ts";

export interface GroupingOptions {
  readonly platform: Platform;
  /** Whether objects that refer to each other are taken together. */
  readonly linked: boolean;
  /** The event from which on a file that the run creates is complete. */
  readonly complete: number;
  readonly known: KnownUpdates;
  /** What threads have seen of each other, where that is known. */
  readonly precedence?: Precedence | undefined;
}

export interface GroupedUpdates {
  readonly order: StoreOrder;
  readonly parts: PartTable;
  readonly groups: readonly Group[];
  /** Of all groups. */
  readonly behaviours: number;
  /** By statement: the user's function that it is in. */
  readonly functions: readonly (string | undefined)[];
  /** Stores that debug information names no object of. */
  readonly nameless: number;
  /** Stores that nothing ever made durable. */
  readonly neverDurable: readonly number[];
}

const wordValues = 2 ** 32;
/** Stores of this many bytes can hold a pointer or an offset. */
const referringBytes = 8;

class UpdateWatch implements StoreListener {
  readonly #linked: boolean;
  readonly #isThreaded: boolean;
  readonly #late: ReadonlySet<number>;
  readonly #storeParts: StoreParts;
  readonly #parts: PartTable;
  readonly behaviours: Behaviours;
  readonly kinds: Kinds;

  constructor({ trace }: CrashSource, places: Places, options: GroupingOptions, late: ReadonlySet<number>) {
    this.#linked = options.linked;
    this.#isThreaded = options.precedence !== undefined;
    this.#late = late;
    this.#parts = options.known.parts;
    this.#storeParts = new StoreParts(places, trace.tables, options.known);
    this.behaviours = new Behaviours((behaviour) => this.kinds.add(behaviour), options.precedence);
    this.kinds = new Kinds(this.behaviours.order, options.complete);
  }

  get nameless(): number {
    return this.#storeParts.nameless;
  }

  stored({ words, at, seq, place, line }: StoreRecord, mappings: Mappings): void {
    const address = words[at + inRecord.address]!;
    const head = words[at]!;
    const size = storedBytes(head);
    const { parts, owner, statement } = this.#storeParts.of({
      thread: threadIn(head),
      site: words[at + inRecord.site]!,
      stack: words[at + inRecord.stack]!,
      address,
      size,
      ...place,
      mapping: mappings.around(address)!,
    });
    const value = words[at + inRecord.low]! + wordValues * words[at + inRecord.high]!;
    const target = this.#linked && size === referringBytes ? targetOf(value, place.file, mappings) : undefined;
    const link: Link | undefined =
      target === undefined ? undefined : { owner, target, objects: this.#parts.startingAt(target) };
    const isLate = this.#late.has(this.behaviours.order.count);
    const thread = this.#isThreaded ? threadIn(head) : 0;
    this.behaviours.store({ position: seq, line, statement, thread, parts, link, isLate });
  }

  paused(thread: number): void {
    this.#storeParts.pause(thread);
  }

  durable(stores: readonly number[], seq: number, thread: number): void {
    this.behaviours.durable(stores, seq, thread);
  }
}

/** What a value refers to: an address in a persistent file, or an offset in the same file. */
function targetOf(value: number, file: number, mappings: Mappings): PlaceNumber | undefined {
  if (value === 0 || !Number.isSafeInteger(value)) return undefined;
  const place = mappings.at(value);
  return place === undefined ? placeNumber(file, value) : placeNumber(place.file, place.offset);
}

export function groupUpdates(source: CrashSource, places: Places, options: GroupingOptions): GroupedUpdates {
  const { late, never: neverDurable } = lateStores(source, options.platform);
  const watch = new UpdateWatch(source, places, options, late);
  followStores(source, options.platform, watch);
  const { behaviours, kinds, nameless } = watch;
  behaviours.end();
  const { order } = behaviours;
  const { parts, statements } = options.known;
  const { functions } = statements;
  return { order, parts, groups: kinds.groups(), behaviours: kinds.count, functions, nameless, neverDurable };
}
