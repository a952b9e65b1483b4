/** Event sequences by hand. Places are named by letters or words; each name is one site, and so is each calling context. */
import {
  type EventBody,
  type FenceKind,
  type FlushKind,
  newTables,
  ownTransaction,
  Recorder,
  type SinkFactory,
} from "../../src/trace/events/index.ts";
import type { RequestKind } from "../../src/trace/record/index.ts";

export interface At {
  /** The name of the instruction's place; each call has its own unless it says otherwise. */
  readonly at?: string;
  /** The name of the caller's place. */
  readonly from?: string;
  readonly thread?: number;
}

export const pm = 0x10_0000;
const mainThread = 1;

export class TraceBuilder {
  readonly tables = newTables();
  readonly #bodies: { readonly place: { thread: number; site: number; stack: number }; readonly body: EventBody }[] =
    [];
  readonly #sites = new Map<string, number>();
  readonly #stacks = new Map<string, number>();

  /** The site of a named place. */
  site(name: string): number {
    const known = this.#sites.get(name) ?? 0x40_0000 + 16 * this.#sites.size;
    this.#sites.set(name, known);
    return known;
  }

  /** Gives a named place an address of its own. */
  place(name: string, site: number): this {
    this.#sites.set(name, site);
    return this;
  }

  add(body: EventBody, { at, from, thread = mainThread }: At = {}): this {
    const site = this.site(at ?? `${body.kind} ${this.#bodies.length}`);
    this.#bodies.push({ place: { thread, site, stack: from === undefined ? 0 : this.#stack(from) }, body });
    return this;
  }

  #stack(name: string): number {
    const known = this.#stacks.get(name) ?? this.tables.contexts.add(0, this.site(name));
    this.#stacks.set(name, known);
    return known;
  }

  /** Persistent memory of 64 KiB at `pm`, and a library's code where asked for. */
  map(start = pm, length = 0x1_0000, path = "/pm/pool"): this {
    return this.add(
      { kind: "map", start, length, path, offset: 0, persistent: true, executable: false },
      { at: "map" },
    );
  }
  code(start: number, length: number, path: string): this {
    return this.add(
      { kind: "map", start, length, path, offset: 0, persistent: false, executable: true },
      { at: "map" },
    );
  }
  unmap(start = pm, length = 0x1_0000): this {
    return this.add({ kind: "unmap", start, length });
  }
  store(address: number, value = 1n, at: At & { readonly size?: number } = {}): this {
    return this.add({ kind: "store", address, size: at.size ?? 8, value }, at);
  }
  /** One store of several pieces of 8 bytes. */
  wide(address: number, values: readonly bigint[], at: At = {}): this {
    const place = { ...at, at: at.at ?? `wide ${this.#bodies.length}` };
    for (const [piece, value] of values.entries())
      this.add(
        { kind: "store", address: address + 8 * piece, size: 8, value, ...(piece > 0 && { further: true }) },
        place,
      );
    return this;
  }
  output(text: string, stream = 1, at: At = {}): this {
    return this.add({ kind: "output", stream, bytes: new TextEncoder().encode(text) }, at);
  }
  nonTemporal(address: number, value = 1n, at: At = {}): this {
    return this.add({ kind: "non-temporal", address, size: 8, value }, at);
  }
  flush(address: number, at: At = {}, kind: FlushKind = "clwb"): this {
    return this.add({ kind, address }, at);
  }
  fence(at: At = {}, kind: FenceKind = "sfence"): this {
    return this.add({ kind }, at);
  }
  persist(address: number, at: At = {}): this {
    const name = at.at ?? `persist ${this.#bodies.length}`;
    return this.flush(address, { ...at, at: `${name}: flush` }).fence({ ...at, at: `${name}: fence` });
  }
  msync(start: number, length: number): this {
    return this.add({ kind: "msync", start, length });
  }
  request(request: RequestKind, start = 0, length = 0, at: At & { readonly transaction?: number } = {}): this {
    const transaction = at.transaction ?? ownTransaction(at.thread ?? mainThread);
    return this.add({ kind: "request", request, start, length, transaction }, at);
  }
  exit(): this {
    return this.add({ kind: "exit", status: 0 }, { at: "exit" });
  }

  /** Shows the events to sinks, with an end. */
  play(...sinks: readonly SinkFactory[]): void {
    const recorder = new Recorder(sinks, this.tables);
    for (const { place, body } of this.#bodies) recorder.note(place, body);
    recorder.end();
  }
}
