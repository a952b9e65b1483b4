/**
 * One pass over a trace that stops at its failure points. Always: at a point, `lines` and `mappings` are as of all events
 * before it; the pass costs per event what the event touches.
 */
import { decodeEvent, type EventSink, recordWords, type TraceEvent, type TraceTables } from "../trace/index.ts";
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

const asking: ReadonlySet<string> = new Set(["clflushopt", "clwb"]);
const fencing: ReadonlySet<string> = new Set(["sfence", "mfence", "locked"]);
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
  #last: FailurePoint = { seq: 0, before: "end", thread: 0, site: 0, stack: 0 };

  constructor(tables: TraceTables, options: WalkOptions) {
    this.#tables = tables;
    this.#options = options;
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
    for (let at = 0; at < words.length; at += recordWords)
      this.#event(decodeEvent(words, at / recordWords, first + at / recordWords, this.#tables.texts));
  }

  /** All that was printed is owed by now: the end counts even when nothing changed since the last point. */
  end(): void {
    this.#changed = this.#stored;
    this.#point({ ...this.#last, seq: this.#last.seq + 1, before: "end" });
  }

  #event(event: TraceEvent): void {
    const { seq, kind, thread, site, stack } = event;
    const place = { seq, before: kind, thread, site, stack };
    if (this.#options.visit !== undefined && pointKinds[this.#options.granularity].has(kind)) this.#point(place);
    this.#last = place;
    this.#apply(event);
  }

  #point(point: FailurePoint): void {
    if (!this.#changed) return;
    this.#changed = false;
    if (!this.tree.add(point) && !this.#options.allPoints && point.before !== "end") return;
    this.#options.visit?.(point, this.moment);
  }

  #apply(event: TraceEvent): void {
    const { kind, thread } = event;
    if (kind === "store" || kind === "non-temporal") this.#store(event);
    else if (kind === "clflush" || asking.has(kind)) this.#flush(event as TraceEvent & { readonly address: number });
    else if (fencing.has(kind)) this.#lines.fence(thread);
    else if (kind === "msync")
      for (const { file, from, to } of this.#mappings.within(event.start, event.length))
        this.#lines.persistRange(file, from, to);
    else if (kind === "map" && event.persistent) this.#map(event);
    else if (kind === "unmap") this.#mappings.unmap(event.start, event.length);
    else if (kind === "output" && event.stream === stdout) this.#acknowledged.push(event.bytes);
  }

  #store(event: TraceEvent & { readonly kind: "store" | "non-temporal" }): void {
    const place = this.#mappings.at(event.address);
    if (place === undefined) return;
    const { seq, thread, site, stack, size, value } = event;
    const index = Math.floor(place.offset / lineBytes);
    const offset = place.offset % lineBytes;
    this.#lines.store(place.file, index, { seq, thread, site, stack, offset, size, value });
    if (event.kind === "non-temporal") this.#lines.ask(lineKey(place.file, index), thread);
    this.#changed = true;
    this.#stored = true;
  }

  #flush({ kind, thread, address }: TraceEvent & { readonly address: number }): void {
    const place = this.#mappings.at(address);
    if (place === undefined) return;
    const key = lineKey(place.file, Math.floor(place.offset / lineBytes));
    if (asking.has(kind)) this.#lines.ask(key, thread);
    else this.#lines.persistNow(key);
  }

  #map(event: TraceEvent & { readonly kind: "map" }): void {
    const { file, fresh } = this.#mappings.map(event.path, event.start, event.length, event.offset);
    if (!fresh) return;
    this.#mappedAt.set(file, event.seq);
    this.#lines.reread(file);
  }
}
