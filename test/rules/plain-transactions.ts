/**
 * What the rules say of transactions once more, byte by byte: which stores no transaction allows, which are loose, and
 * what is added twice.
 */
import type { EventBody, TraceEvent } from "../../src/trace/events/index.ts";

type EventOf<K extends EventBody["kind"]> = TraceEvent & { readonly kind: K };
type Store = EventOf<"store" | "non-temporal">;
type Request = EventOf<"request">;

interface PlainTransaction {
  depth: number;
  readonly added: Set<number>;
  readonly everAdded: Pieces;
  /** By byte, whether it belongs to whoever makes the publishing call, and nobody else. */
  readonly fresh: Map<number, "own" | "published">;
  readonly threads: Set<number>;
}

/** By byte, where the piece begins that it belongs to. */
class Pieces {
  readonly starts = new Map<number, number>();

  add(start: number, end: number): void {
    for (let at = start, first = start; at < end; at++) {
      if (this.starts.has(at)) first = at + 1;
      else this.starts.set(at, first);
    }
  }

  remove(start: number, end: number): void {
    const cut = this.starts.get(end - 1);
    for (let at = start; at < end; at++) this.starts.delete(at);
    for (let at = end; cut !== undefined && this.starts.get(at) === cut; at++) this.starts.set(at, end);
  }

  list(): (readonly [number, number])[] {
    const ends = new Map<number, number>();
    for (const [at, start] of this.starts) ends.set(start, Math.max(at + 1, ends.get(start) ?? 0));
    return [...ends];
  }
}

const bytes = (start: number, length: number): number[] => Array.from({ length }, (_, i) => start + i);

export interface PlainComplaint {
  readonly rule: "unadded-store" | "loose-store" | "overlapping-add" | "repeated-add";
  readonly site: number;
  readonly stack: number;
  readonly seq: number;
  count: number;
}

/** Contexts of one call that gives memory out and publishes it before it returns. */
export interface PublishingCall {
  /** The program's own call, and those within the library. */
  readonly own: number;
  readonly inside: number;
}

export class PlainTransactions {
  readonly complaints: PlainComplaint[] = [];
  readonly #call: PublishingCall;
  readonly #running = new Map<number, PlainTransaction>();
  readonly #ignored = new Set<number>();
  readonly #objects = new Pieces();
  readonly #lengths = new Map<number, number>();
  readonly #loose = new Map<number, Store>();
  /** By eight bytes, the newest store. */
  readonly #newest = new Map<number, number>();

  constructor(call: PublishingCall) {
    this.#call = call;
  }

  take(event: TraceEvent): void {
    if (event.kind === "store" || event.kind === "non-temporal") this.#store(event);
    if (event.kind === "request") this.#request(event);
  }

  #complain(rule: PlainComplaint["rule"], { site, stack, seq }: Store | Request): void {
    const known = this.complaints.find((one) => one.rule === rule && one.site === site && one.stack === stack);
    if (known) known.count++;
    else this.complaints.push({ rule, site, stack, seq, count: 1 });
  }

  #store(event: Store): void {
    this.#newest.set(event.address >>> 3, event.seq);
    const own = [...this.#running.values()].filter(({ threads }) => threads.has(event.thread));
    const stored = bytes(event.address, event.size);
    const free = own.map(({ fresh }) => new Set([...fresh.keys()].filter((at) => this.#isFree(fresh, at, event))));
    const allowing = [this.#ignored, ...own.map(({ added }) => added), ...free];
    if (own.length === 0) this.#looseStore(event);
    else if (!allowing.some((allowed) => stored.every((at) => allowed.has(at)))) this.#complain("unadded-store", event);
  }

  #isFree(fresh: PlainTransaction["fresh"], at: number, { stack }: Store): boolean {
    return fresh.get(at) === "own" || stack === this.#call.own || stack === this.#call.inside;
  }

  #looseStore(event: Store): void {
    const object = this.#objects.starts.get(event.address);
    if (object === undefined || this.#ignored.has(event.address)) return;
    if (event.stack === this.#call.inside) return;
    const other = this.#loose.get(object);
    this.#loose.set(object, event);
    if (other === undefined || other.address === event.address) return;
    if (this.#newest.get(other.address >>> 3) === other.seq) this.#complain("loose-store", other);
  }

  #request(event: Request): void {
    const { request, transaction, thread, start, length } = event;
    const range = bytes(start, length);
    const running = this.#running.get(transaction);
    if (request === "tx-start") this.#start(transaction, thread);
    if (request === "tx-end" && running !== undefined && --running.depth === 0) this.#end(transaction, running);
    if (request === "tx-add" && running !== undefined) {
      const others = this.#othersOf(thread).filter((other) => other !== running);
      if (others.some(({ added }) => range.some((at) => added.has(at)))) this.#complain("overlapping-add", event);
      if (range.some((at) => running.added.has(at))) this.#complain("repeated-add", event);
      for (const at of range) running.added.add(at);
      running.everAdded.add(start, start + length);
    }
    if (request === "tx-remove") for (const at of range) running?.added.delete(at);
    if (request === "tx-join") running?.threads.add(thread);
    if (request === "tx-leave") running?.threads.delete(thread);
    if (request === "tx-ignore") for (const at of range) this.#ignored.add(at);
    if (request === "object-allocated") this.#allocate(event);
    if (request === "object-freed") this.#free(start, this.#lengths.get(start) ?? 0);
  }

  #othersOf(thread: number): PlainTransaction[] {
    return [...this.#running.values()].filter(({ threads }) => !threads.has(thread));
  }

  #start(name: number, thread: number): void {
    const fresh = { depth: 0, added: new Set<number>(), everAdded: new Pieces(), fresh: new Map() };
    const running = this.#running.get(name) ?? { ...fresh, threads: new Set<number>() };
    running.depth++;
    running.threads.add(thread);
    this.#running.set(name, running);
  }

  #end(name: number, { everAdded }: PlainTransaction): void {
    for (const [start, end] of everAdded.list()) this.#objects.add(start, end);
    this.#running.delete(name);
  }

  #allocate({ thread, start, length, stack }: Request): void {
    const whose = stack === this.#call.inside ? "published" : "own";
    this.#lengths.set(start, length);
    this.#objects.remove(start, start + length);
    for (const { threads, fresh } of this.#running.values())
      if (threads.has(thread)) for (const at of bytes(start, length)) fresh.set(at, whose);
  }

  #free(start: number, length: number): void {
    this.#lengths.delete(start);
    this.#objects.remove(start, start + length);
    for (const { fresh } of this.#running.values()) for (const at of bytes(start, length)) fresh.delete(at);
  }
}
