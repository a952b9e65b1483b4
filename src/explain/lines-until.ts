/** What happened to some lines of persistent memory up to a crash: stores, flushes, fences, and what these made durable. */
import { lineBytes, Mappings } from "../crash/index.ts";
import { eventsBetween, type Trace, type TraceEvent } from "../trace/index.ts";

/** A line, by its file as the trace names it and its number in the file. */
export interface LinePlace {
  readonly path: string;
  readonly index: number;
}

export const linePlaceKey = ({ path, index }: LinePlace): string => `${index} ${path}`;

export interface LineEvent {
  readonly event: TraceEvent;
  readonly kind: "store" | "flush" | "fence" | "durable";
  /** Of stores and flushes, and of what became durable. */
  readonly line?: string;
  /** Of `durable`: the last store that is. */
  readonly through?: number;
}

/** The flush that a thread makes next after a store: of which line, and whether that had nothing to persist. */
export interface NextFlush {
  readonly event: TraceEvent;
  readonly line: string;
  readonly idle: boolean;
}

const fences: ReadonlySet<string> = new Set(["sfence", "mfence", "locked"]);
const flushes: ReadonlySet<string> = new Set(["clflush", "clflushopt", "clwb"]);

export class LinesUntil {
  readonly events: LineEvent[] = [];
  /** By store. */
  readonly nextFlush = new Map<number, NextFlush>();
  readonly #lines: ReadonlySet<string>;
  readonly #mappings = new Mappings();
  /** Lines that were stored to since they were last flushed, whichever. */
  readonly #dirty = new Set<string>();
  /** Stores of ours whose thread has not flushed anything since. */
  #unflushed: { readonly seq: number; readonly thread: number }[] = [];
  /** By thread and line: the last store before a flush that waits for its fence. */
  readonly #asked = new Map<number, Map<string, number>>();
  readonly #lastStore = new Map<string, number>();

  constructor(trace: Trace, cut: number, lines: readonly LinePlace[]) {
    this.#lines = new Set(lines.map(linePlaceKey));
    for (const event of eventsBetween(trace, 0, cut)) this.#take(event);
  }

  #lineAt(address: number): string | undefined {
    const place = this.#mappings.at(address);
    if (place === undefined) return undefined;
    return linePlaceKey({ path: this.#mappings.path(place.file), index: Math.floor(place.offset / lineBytes) });
  }

  #take(event: TraceEvent): void {
    const { kind } = event;
    if (kind === "map" && event.persistent) this.#mappings.map(event.path, event.start, event.length, event.offset);
    else if (kind === "unmap") this.#mappings.unmap(event.start, event.length);
    else if (kind === "store" || kind === "non-temporal") this.#store(event, this.#lineAt(event.address));
    else if (flushes.has(kind) && "address" in event) this.#flush(event, this.#lineAt(event.address));
    else if (fences.has(kind)) this.#fence(event);
    else if (kind === "msync") this.#sync(event);
  }

  #store(event: TraceEvent & { readonly kind: "store" | "non-temporal" }, line: string | undefined): void {
    if (line === undefined) return;
    this.#dirty.add(line);
    if (!this.#lines.has(line)) return;
    this.#lastStore.set(line, event.seq);
    this.events.push({ event, kind: "store", line });
    this.#unflushed.push(event);
    if (event.kind === "non-temporal") this.#ask(event.thread, line);
  }

  #ask(thread: number, line: string): void {
    const asked = this.#asked.get(thread) ?? new Map<string, number>();
    const last = this.#lastStore.get(line);
    if (last !== undefined) this.#asked.set(thread, asked.set(line, last));
  }

  #flush(event: TraceEvent, line: string | undefined): void {
    if (line === undefined) return;
    const next = { event, line, idle: !this.#dirty.has(line) };
    for (const { seq, thread } of this.#unflushed) if (thread === event.thread) this.nextFlush.set(seq, next);
    this.#unflushed = this.#unflushed.filter(({ thread }) => thread !== event.thread);
    this.#dirty.delete(line);
    if (!this.#lines.has(line)) return;
    this.events.push({ event, kind: "flush", line });
    if (event.kind === "clflush") this.#durable(event, line, this.#lastStore.get(line));
    else this.#ask(event.thread, line);
  }

  /** Only those are told that may have to do with a flush of ours. */
  #fence(event: TraceEvent): void {
    if (this.#asked.size === 0) return;
    this.events.push({ event, kind: "fence" });
    for (const [line, through] of this.#asked.get(event.thread) ?? []) this.#durable(event, line, through);
    this.#asked.delete(event.thread);
  }

  #sync(event: TraceEvent & { readonly kind: "msync" | "unmap" }): void {
    for (const { file, from, to } of this.#mappings.within(event.start, event.length))
      for (let index = Math.floor(from / lineBytes); index * lineBytes < to; index++) {
        const line = linePlaceKey({ path: this.#mappings.path(file), index });
        if (!this.#lines.has(line)) continue;
        this.events.push({ event, kind: "flush", line });
        this.#durable(event, line, this.#lastStore.get(line));
      }
  }

  #durable(event: TraceEvent, line: string, through: number | undefined): void {
    if (through !== undefined) this.events.push({ event, kind: "durable", line, through });
  }

  /** Flushes of a line from a store on, or before it. */
  flushesOf(line: string, seq: number, when: "before" | "after"): readonly TraceEvent[] {
    return this.events
      .filter((each) => each.kind === "flush" && each.line === line)
      .map(({ event }) => event)
      .filter((event) => (when === "after" ? event.seq > seq : event.seq < seq));
  }

  hasFenceAfter(seq: number): boolean {
    return this.events.some(({ kind, event }) => kind === "fence" && event.seq > seq);
  }
}
