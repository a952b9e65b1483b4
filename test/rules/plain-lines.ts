/**
 * What the rules follow of a trace, as plain objects that are looked up anew for every event: the slow twin of the tables
 * in src/engines/rules (docs/TESTING.md). A line is dropped once its stores are persisted and nobody has a flush pending.
 */
export interface PlainStore {
  readonly position: number;
  readonly thread: number;
  readonly site: number;
  readonly stack: number;
  readonly address: number;
  readonly size: number;
  readonly value: bigint;
  /** By offset in the line, with the bytes of earlier stores that are not persisted either. */
  readonly bytes: ReadonlyMap<number, number>;
}

export interface PlainFlush {
  readonly position: number;
  readonly thread: number;
  readonly site: number;
  readonly stack: number;
  readonly address: number;
}

export interface PlainLine {
  readonly line: number;
  last: number;
  flushed: number;
  persisted: number;
  means: "flush" | "non-temporal" | "annotation" | undefined;
  flush: PlainFlush | undefined;
  /** The newest store to each aligned eight bytes. */
  readonly stores: Map<number, PlainStore>;
}

export class PlainThread {
  readonly id: number;
  /** Up to which position its flushes cover lines. */
  pending = new Map<PlainLine, number>();
  others = 0;
  lastOrdering = 0;
  /** Runs of flushes of neighbouring lines. */
  groups: PlainFlush[] = [];
  newest: PlainFlush | undefined;
  locked: { readonly position: number; readonly stack: number } | undefined;
  /** Depth and bytes of its transaction. */
  depth = 0;
  readonly added = new Set<number>();

  constructor(id: number) {
    this.id = id;
  }

  clear(): void {
    this.pending = new Map();
    this.others = 0;
    this.groups = [];
    this.locked = undefined;
  }

  joinGroup(flush: PlainFlush, anySite: boolean): void {
    const { newest } = this;
    const step = newest === undefined ? Number.NaN : (flush.address >>> 6) - (newest.address >>> 6);
    const next = step === 1 && newest?.stack === flush.stack && (anySite || newest.site === flush.site);
    this.newest = flush;
    if (this.groups.length === 0 || !(step === 0 || next)) this.groups.push(flush);
  }
}

export class PlainLines {
  readonly #lines = new Map<number, PlainLine>();
  readonly threads = new Map<number, PlainThread>();
  readonly everFlushed = new Set<number>();
  readonly everStored = new Set<number>();

  thread(id: number): PlainThread {
    const thread = this.threads.get(id) ?? new PlainThread(id);
    this.threads.set(id, thread);
    return thread;
  }

  find(line: number): PlainLine | undefined {
    return this.#lines.get(line);
  }

  obtain(line: number, position: number): PlainLine {
    const before = position - 1;
    const counts = { last: before, flushed: before, persisted: before };
    const found = this.#lines.get(line) ?? { line, ...counts, means: undefined, flush: undefined, stores: new Map() };
    this.#lines.set(line, found);
    this.everStored.add(line);
    return found;
  }

  dropIfDone(line: PlainLine): void {
    const awaited = [...this.threads.values()].some(({ pending }) => pending.has(line));
    if (line.persisted >= line.last && !awaited) this.#lines.delete(line.line);
  }

  pend(line: PlainLine, thread: PlainThread, means: PlainLine["means"], flush: PlainFlush): void {
    thread.pending.set(line, line.last);
    line.flushed = line.last;
    line.means = means;
    line.flush = flush;
  }

  persist(line: PlainLine): void {
    line.flushed = line.last;
    line.persisted = line.last;
    this.dropIfDone(line);
  }

  complete(thread: PlainThread, position: number): void {
    const done = [...thread.pending];
    if (done.length > 0) thread.lastOrdering = position;
    thread.clear();
    for (const [line, bound] of done) {
      line.persisted = Math.max(line.persisted, bound);
      this.dropIfDone(line);
    }
  }

  within(start: number, end: number): PlainLine[] {
    return [...this.#lines.values()]
      .filter(({ line }) => line * 64 + 64 > start && line * 64 < end)
      .sort((a, b) => a.line - b.line);
  }

  /** Stores that begin within [start, end) no longer count. */
  clean(start: number, end: number): void {
    for (const line of this.within(start, end)) {
      for (const [slot, { address }] of line.stores) if (address >= start && address < end) line.stores.delete(slot);
      line.last = Math.max(0, ...[...line.stores.values()].map(({ position }) => position));
      line.flushed = Math.min(line.flushed, line.last);
      this.dropIfDone(line);
    }
  }
}
