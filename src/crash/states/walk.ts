/**
 * One pass over a trace that stops at its failure points. Always: at a point, `lines` and `mappings` are as of all events
 * before it; the pass costs per event what the event touches.
 */

import { Mappings, type Platform, type PmLines, PmTracker } from "../../model/pmem/index.ts";
import { decodeEvent, type EventSink, type TraceEvent, type TraceTables } from "../../trace/events/index.ts";
import { codeIn, codeOf, firstNote, inRecord, kindOf, recordWords, threadIn } from "../../trace/record/index.ts";
import { type FailurePoint, FailurePointTree, type PointRule, pointKinds } from "./points.ts";

export interface Moment {
  readonly lines: PmLines;
  readonly mappings: Mappings;
  /** What the program had written to its standard output. */
  readonly acknowledged: readonly Uint8Array[];
}

export interface WalkOptions {
  readonly granularity: PointRule;
  /** Every dynamic point, not one for each place with its calls. */
  readonly allPoints: boolean;
  /** 64 bytes of a file as it was at an event, where no store of the trace is known. */
  readBase(path: string, index: number, seq: number): Uint8Array;
  readonly platform?: Platform;
  /** What had been printed before the trace, where it is a recovery's: what that prints itself is no promise. */
  readonly acknowledged?: readonly Uint8Array[] | undefined;
  /** The events that versions of the files begin at: there is a point before the call that made one. */
  readonly versionStarts?: ArrayLike<number>;
  /** Called at each failure point; without it, points are not looked for. */
  visit?(point: FailurePoint, moment: Moment): void;
}

const isStore = (code: number): boolean => code === codeOf.store || code === codeOf["non-temporal"];
const stdout = 1;

export class CrashWalk implements EventSink {
  readonly #tables: TraceTables;
  readonly #options: WalkOptions;
  readonly #mappings = new Mappings();
  /** By file, the event as of which lines are read that no store is known of: calls changed it last before that. */
  readonly #readAt = new Map<number, number>();
  /** A file call has changed lines, and the version of the files that it made is still to come. */
  #isCalling = false;
  readonly #tracker: PmTracker;
  readonly #acknowledged: Uint8Array[];
  readonly tree: FailurePointTree;
  #changed = false;
  #stored = false;
  /** The next version of the files, and the event it begins with. */
  #version = 1;
  #versionStart: number;
  /** Where the last event was. */
  #last: Omit<FailurePoint, "before"> = { seq: 0, thread: 0, site: 0, stack: 0 };
  /** By event code, 1 where a point may be before it. Asked of every event. */
  readonly #pointCodes = new Uint8Array(256);

  constructor(tables: TraceTables, options: WalkOptions) {
    this.#tables = tables;
    this.#options = options;
    this.#acknowledged = [...(options.acknowledged ?? [])];
    // Where caches survive, every store is persisted as it is made: each raises a bound.
    const rule = options.granularity === "bound" && options.platform === "eadr" ? "store" : options.granularity;
    if (options.visit !== undefined) for (const kind of pointKinds[rule]) this.#pointCodes[codeOf[kind]] = 1;
    this.#versionStart = this.#startOf(this.#version);
    this.tree = new FailurePointTree(tables.contexts);
    this.#tracker = new PmTracker({
      readBase: (file, index) => options.readBase(this.#mappings.path(file), index, this.#readAt.get(file) ?? 0),
      place: (address) => this.#mappings.at(address),
      ...(options.platform && { platform: options.platform }),
      mode: tables.flushesPersist ? "dax" : "msync",
    });
  }

  /** As of all events so far. */
  get moment(): Moment {
    return { lines: this.#tracker.lines, mappings: this.#mappings, acknowledged: this.#acknowledged };
  }

  events(words: Uint32Array, first: number): void {
    let seq = first;
    for (let at = 0; at < words.length; at += recordWords, seq++) {
      const code = codeIn(words[at]!);
      if (seq >= this.#versionStart)
        this.#passCalls(seq, at === 0 ? this.#last : placeAt(words, at - recordWords, seq - 1));
      if (code === codeOf.written) this.#begins(placeAt(words, at, seq));
      else if (this.#isCalling) this.#returns();
      if (this.#changed && this.#pointCodes[code] === 1 && this.#isPoint(words, at, seq))
        this.#point({ ...placeAt(words, at, seq), before: kindOf(code)! });
      // What most events are is told without making objects of them.
      if (code >= firstNote) this.#note(decodeEvent(words, at / recordWords, seq, this.#tables.texts));
      else if (this.#tracker.take(words, at, seq)) this.#changed = this.#stored = true;
    }
    if (words.length > 0) this.#last = placeAt(words, words.length - recordWords, seq - 1);
  }

  #isPoint(words: Uint32Array, at: number, seq: number): boolean {
    const code = codeIn(words[at]!);
    if (code === codeOf.output) return this.#promises(words[at + inRecord.address]!);
    if (this.#options.granularity !== "bound" || isStore(code)) return true;
    if (code !== codeOf.msync) return this.#tracker.raises(words, at);
    const event = decodeEvent(words, at / recordWords, seq, this.#tables.texts);
    return event.kind === "msync" && this.#syncs(event.start, event.length);
  }

  get #isRecovery(): boolean {
    return this.#options.acknowledged !== undefined;
  }

  #promises(stream: number): boolean {
    return stream === stdout && !this.#isRecovery;
  }

  /** Whether a range of addresses shows lines that a crash may still cut. */
  #syncs(start: number, length: number): boolean {
    return [...this.#mappings.within(start, length)].some(({ file, from, to }) =>
      this.#tracker.lines.isOpenWithin(file, from, to),
    );
  }

  #startOf(version: number): number {
    return this.#options.versionStarts?.[version] ?? Number.POSITIVE_INFINITY;
  }

  /** A crash comes before a call that changes lines, or after it. */
  #begins(place: Omit<FailurePoint, "before">): void {
    if (!this.#isCalling && this.#options.visit !== undefined) this.#point({ ...place, before: "call" });
    this.#isCalling = true;
    this.#changed = false;
  }

  #returns(): void {
    this.#isCalling = false;
    // What a recovery changes by calls it changes behind a crash, whose stores are in another trace.
    this.#changed = this.#stored || this.#isRecovery;
  }

  /** File calls since the event before `seq`, which was at `place`. */
  #passCalls(seq: number, place: Omit<FailurePoint, "before">): void {
    while (this.#versionStart <= seq) {
      this.#point({ ...place, seq, before: "call", version: this.#version - 1 });
      this.#returns();
      this.#versionStart = this.#startOf(++this.#version);
    }
  }

  /** All that was printed is owed by now: the end counts even when nothing changed since the last point. */
  end(): void {
    this.#passCalls(this.#last.seq + 1, this.#last);
    this.#changed ||= this.#stored;
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
        this.#tracker.sync(file, from, to);
    else if (kind === "written") this.#write(event);
    else if (kind === "fsync") this.#sync(event.path);
    else if (kind === "map" && event.persistent) this.#map(event);
    else if (kind === "unmap") this.#mappings.unmap(event.start, event.length);
    else if (kind === "output" && this.#promises(event.stream)) {
      this.#acknowledged.push(event.bytes);
      this.#changed = this.#stored;
    }
  }

  #write(event: TraceEvent & { readonly kind: "written" }): void {
    const file = this.#mappings.numberOf(event.path);
    if (file === undefined) return;
    this.#readAt.set(file, event.seq + 1);
    this.#tracker.lines.write(file, event.offset, "zeros" in event ? event.zeros : event.bytes);
  }

  #sync(path: string): void {
    const file = this.#mappings.numberOf(path);
    if (file !== undefined) this.#tracker.sync(file, 0, Number.MAX_SAFE_INTEGER);
  }

  #map(event: TraceEvent & { readonly kind: "map" }): void {
    const { file, fresh } = this.#mappings.map(event.path, event.start, event.length, event.offset);
    if (!fresh) return;
    // With what a mapping left that this call replaced.
    this.#readAt.set(file, event.seq + 1);
    this.#tracker.lines.reread(file);
  }
}

/** Where the event of a record was; a map's record has no calling context. */
const placeAt = (words: Uint32Array, at: number, seq: number): Omit<FailurePoint, "before"> => {
  const head = words[at + inRecord.head]!;
  const stack = codeIn(head) === codeOf.map ? 0 : words[at + inRecord.stack]!;
  return { seq, thread: threadIn(head), site: words[at + inRecord.site]!, stack };
};
