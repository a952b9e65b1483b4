/**
 * Flushes of some lines of persistent memory up to a crash, and how they lie to stores and fences: what tells why a store was
 * still open. What is durable is the tracker's to say (src/model/pmem).
 */
import { lineBytes, Mappings } from "../../model/pmem/index.ts";
import { eventsBetween, type Trace, type TraceEvent } from "../../trace/events/index.ts";

/** A line, by its file as the trace names it and its number in the file. */
export interface LinePlace {
  readonly path: string;
  readonly index: number;
}

export const linePlaceKey = ({ path, index }: LinePlace): string => `${index} ${path}`;

/** The flush that a thread makes next after a store: of which line, and whether that had nothing to persist. */
export interface NextFlush {
  readonly event: TraceEvent;
  readonly line: string;
  readonly idle: boolean;
}

const fences: ReadonlySet<string> = new Set(["sfence", "mfence", "locked"]);
const flushes: ReadonlySet<string> = new Set(["clflush", "clflushopt", "clwb"]);

export class LineFlushes {
  /** By store: what its thread flushed next. */
  readonly nextFlush = new Map<number, NextFlush>();
  readonly #flushes = new Map<string, TraceEvent[]>();
  #lastFence = -1;
  readonly #mappings = new Mappings();
  /** Lines that were stored to since they were last flushed, whichever. */
  readonly #dirty = new Set<string>();
  /** Stores of ours whose thread has not flushed anything since. */
  #unflushed: { readonly seq: number; readonly thread: number }[] = [];

  constructor(trace: Trace, cut: number, lines: readonly LinePlace[]) {
    for (const line of lines) this.#flushes.set(linePlaceKey(line), []);
    for (const event of eventsBetween(trace, 0, cut)) this.#take(event);
  }

  /** Flushes of a line from a store on, or before it. */
  of(line: string, seq: number, when: "before" | "after"): readonly TraceEvent[] {
    const flushes = this.#flushes.get(line) ?? [];
    return flushes.filter((event) => (when === "after" ? event.seq > seq : event.seq < seq));
  }

  hasFenceAfter(seq: number): boolean {
    return this.#lastFence > seq;
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
    else if (fences.has(kind)) this.#lastFence = event.seq;
    else if (kind === "msync") this.#sync(event);
  }

  #store(event: TraceEvent, line: string | undefined): void {
    if (line === undefined) return;
    this.#dirty.add(line);
    if (this.#flushes.has(line)) this.#unflushed.push(event);
  }

  #flush(event: TraceEvent, line: string | undefined): void {
    if (line === undefined) return;
    const next = { event, line, idle: !this.#dirty.has(line) };
    for (const { seq, thread } of this.#unflushed) if (thread === event.thread) this.nextFlush.set(seq, next);
    this.#unflushed = this.#unflushed.filter(({ thread }) => thread !== event.thread);
    this.#dirty.delete(line);
    this.#flushes.get(line)?.push(event);
  }

  #sync(event: TraceEvent & { readonly kind: "msync" | "unmap" }): void {
    for (const { file, from, to } of this.#mappings.within(event.start, event.length))
      for (let index = Math.floor(from / lineBytes); index * lineBytes < to; index++)
        this.#flushes.get(linePlaceKey({ path: this.#mappings.path(file), index }))?.push(event);
  }
}
