/**
 * One pass over a trace that stops at its failure points. Always: at a point, `lines` and `mappings` are as of all events
 * before it; the pass costs per event what the event touches.
 */
import {
  codeOf,
  decodeEvent,
  type EventKind,
  type EventSink,
  kindOf,
  recordWords,
  storedBytes,
  type TraceEvent,
  type TraceTables,
} from "../trace/index.ts";
import { lineBytes, lineKey, PmLines } from "./lines.ts";
import { Mappings } from "./mappings.ts";
import { type FailurePoint, FailurePointTree, type Granularity, pointKinds } from "./points.ts";

export interface Moment {
  readonly lines: PmLines;
  readonly mappings: Mappings;
  /** What the program had written to its standard output. */
  readonly acknowledged: readonly Uint8Array[];
}

export interface WalkOptions {
  readonly granularity: Granularity;
  /** Every dynamic point, not one for each place with its calls. */
  readonly allPoints: boolean;
  /** 64 bytes of a file as it was at an event, where no store of the trace is known. */
  readBase(path: string, index: number, seq: number): Uint8Array;
  /** Called at each failure point; without it, points are not looked for. */
  visit?(point: FailurePoint, moment: Moment): void;
}

/** Kinds by their numbers: what most events are is told without making objects of them. */
const codes = <Kind extends EventKind>(...kinds: readonly Kind[]): ReadonlySet<number> =>
  new Set(kinds.map((kind) => codeOf[kind]));
const storing = codes("store", "non-temporal");
const flushing = codes("clflush", "clflushopt", "clwb");
const fencing = codes("sfence", "mfence", "locked");
const stdout = 1;

export class CrashWalk implements EventSink {
  readonly #tables: TraceTables;
  readonly #options: WalkOptions;
  readonly #mappings = new Mappings();
  readonly #mappedAt = new Map<number, number>();
  readonly #lines: PmLines;
  readonly #acknowledged: Uint8Array[] = [];
  readonly tree: FailurePointTree;
  #changed = false;
  #stored = false;
  /** Where the last event was. */
  #last: Omit<FailurePoint, "before"> = { seq: 0, thread: 0, site: 0, stack: 0 };
  readonly #pointCodes: ReadonlySet<number>;

  constructor(tables: TraceTables, options: WalkOptions) {
    this.#tables = tables;
    this.#options = options;
    this.#pointCodes = options.visit === undefined ? new Set() : codes(...pointKinds[options.granularity]);
    this.tree = new FailurePointTree(tables.contexts);
    this.#lines = new PmLines((file, index) =>
      options.readBase(this.#mappings.path(file), index, this.#mappedAt.get(file) ?? 0),
    );
  }

  /** As of all events so far. */
  get moment(): Moment {
    return { lines: this.#lines, mappings: this.#mappings, acknowledged: this.#acknowledged };
  }

  events(words: Uint32Array, first: number): void {
    let seq = first;
    for (let at = 0; at < words.length; at += recordWords, seq++) {
      const code = words[at]! & 0xff;
      if (this.#changed && this.#pointCodes.has(code))
        this.#point({ ...placeAt(words, at, seq), before: kindOf(code)! });
      if (storing.has(code)) this.#store(words, at, seq);
      else if (flushing.has(code)) this.#flush(code, words[at]! >>> 16, words[at + 2]!);
      else if (fencing.has(code)) this.#lines.fence(words[at]! >>> 16);
      else this.#note(decodeEvent(words, at / recordWords, seq, this.#tables.texts));
    }
    if (words.length > 0) this.#last = placeAt(words, words.length - recordWords, seq - 1);
  }

  /** All that was printed is owed by now: the end counts even when nothing changed since the last point. */
  end(): void {
    this.#changed = this.#stored;
    this.#point({ ...this.#last, seq: this.#last.seq + 1, before: "end" });
  }

  #point(point: FailurePoint): void {
    if (!this.#changed) return;
    this.#changed = false;
    if (!this.tree.add(point) && !this.#options.allPoints && point.before !== "end") return;
    this.#options.visit?.(point, this.moment);
  }

  /** What is neither store nor flush nor fence. */
  #note(event: TraceEvent): void {
    const { kind } = event;
    if (kind === "msync")
      for (const { file, from, to } of this.#mappings.within(event.start, event.length))
        this.#lines.persistRange(file, from, to);
    else if (kind === "map" && event.persistent) this.#map(event);
    else if (kind === "unmap") this.#mappings.unmap(event.start, event.length);
    else if (kind === "output" && event.stream === stdout) this.#acknowledged.push(event.bytes);
  }

  #store(words: Uint32Array, at: number, seq: number): void {
    const head = words[at]!;
    const place = this.#mappings.at(words[at + 2]!);
    if (place === undefined) return;
    const index = Math.floor(place.offset / lineBytes);
    const thread = head >>> 16;
    this.#lines.store(place.file, index, {
      seq,
      thread,
      site: words[at + 1]!,
      stack: words[at + 3]!,
      offset: place.offset % lineBytes,
      size: storedBytes(head),
      low: words[at + 4]!,
      high: words[at + 5]!,
    });
    if ((head & 0xff) === codeOf["non-temporal"]) this.#lines.ask(lineKey(place.file, index), thread);
    this.#changed = true;
    this.#stored = true;
  }

  #flush(code: number, thread: number, address: number): void {
    const place = this.#mappings.at(address);
    if (place === undefined) return;
    const key = lineKey(place.file, Math.floor(place.offset / lineBytes));
    if (code === codeOf.clflush) this.#lines.persistNow(key);
    else this.#lines.ask(key, thread);
  }

  #map(event: TraceEvent & { readonly kind: "map" }): void {
    const { file, fresh } = this.#mappings.map(event.path, event.start, event.length, event.offset);
    if (!fresh) return;
    this.#mappedAt.set(file, event.seq);
    this.#lines.reread(file);
  }
}

/** Where the event of a record was; a map's record has no calling context. */
const placeAt = (words: Uint32Array, at: number, seq: number): Omit<FailurePoint, "before"> => {
  const head = words[at]!;
  const stack = (head & 0xff) === codeOf.map ? 0 : words[at + 3]!;
  return { seq, thread: head >>> 16, site: words[at + 1]!, stack };
};
