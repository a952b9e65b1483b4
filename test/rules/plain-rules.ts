/** The rules over a trace once more, without anything that is there for speed: see plain-lines.ts. */
import type { PmMode } from "../../src/engines/index.ts";
import type { EventBody, TraceEvent, TraceTables } from "../../src/trace/events/index.ts";
import { type PlainFlush, type PlainLine, PlainLines, type PlainStore, type PlainThread } from "./plain-lines.ts";

export interface PlainFinding {
  readonly rule: string;
  readonly site: number;
  readonly stack: number;
  /** Of the first occurrence. */
  readonly seq: number;
  /** Of the store that is blamed. */
  readonly value: bigint | undefined;
  count: number;
}

type EventOf<K extends EventBody["kind"]> = TraceEvent & { readonly kind: K };
interface Place {
  readonly position: number;
  readonly site: number;
  readonly stack: number;
  readonly value?: bigint;
}

const bytesOf = ({ address, size, value }: EventOf<"store" | "non-temporal">): Map<number, number> =>
  new Map(Array.from({ length: size }, (_, i) => [(address + i) & 63, Number((value >> BigInt(8 * i)) & 0xffn)]));

const range = (start: number, length: number): number[] => Array.from({ length }, (_, i) => start + i);

/** Mappings are told of in multiples of eight bytes: the addresses of those. */
const eights = (start: number, length: number): number[] => range(start / 8, length / 8).map((eight) => eight * 8);

export class PlainRules {
  readonly findings: PlainFinding[] = [];
  readonly #lines = new PlainLines();
  readonly #ignored = new Set<number>();
  /** Persistent memory, and code that copies on somebody's behalf, by eights. */
  readonly #mapped = new Set<number>();
  /** By eight bytes: which of which persistent file they show. */
  readonly #shown = new Map<number, { readonly path: string; readonly at: number }>();
  readonly #copying = new Set<number>();
  readonly #persistingFences = new Set<number>();
  readonly #tables: TraceTables;
  readonly #mode: PmMode;
  /** All that was stored at an address, and the event before this one. */
  readonly #stored = new Map<number, { value: bigint; size: number; locked: boolean }[]>();
  #latest: TraceEvent | undefined;

  constructor(tables: TraceTables, mode: PmMode) {
    this.#tables = tables;
    this.#mode = mode;
  }

  #report(rule: string, { position, site, stack, value }: Place): void {
    const known = this.findings.find((one) => one.rule === rule && one.site === site && one.stack === stack);
    if (known) known.count++;
    else this.findings.push({ rule, site, stack, seq: position - 1, value, count: 1 });
  }

  /** Whether the word was taken by a locked operation and given back, by all that was ever stored there. */
  #isLock({ address }: { readonly address: number }): boolean {
    let [before, holds, taken, found, bytes] = [0n, 0n, false, false, 0];
    for (const { value, locked, size } of this.#stored.get(address) ?? []) {
      if (bytes === 0 && locked) bytes = size;
      if (size !== bytes) continue;
      const isBack = taken && (value === before || value === holds + 1n);
      found ||= isBack;
      if (locked && !isBack) before = holds;
      taken = isBack ? false : taken || locked;
      holds = value;
    }
    return found;
  }

  #noteStore(event: TraceEvent): void {
    if (event.kind === "store" || event.kind === "non-temporal") {
      const { address, value, size, site, thread } = event;
      const locked = this.#latest?.kind === "locked" && this.#latest.site === site && this.#latest.thread === thread;
      this.#stored.set(address, [...(this.#stored.get(address) ?? []), { value, size, locked }]);
    }
    this.#latest = event;
  }

  take(event: TraceEvent): void {
    this.#noteStore(event);
    const thread = this.#lines.thread(event.thread);
    const settles = ["clflush", "clflushopt", "clwb", "store", "non-temporal"].includes(event.kind);
    if (thread.locked && settles) this.#lines.complete(thread, thread.locked.position);
    const handle = this.#handlers[event.kind] as ((event: TraceEvent, thread: PlainThread) => void) | undefined;
    if (this.#mode === "dax" || !/^(clflush|clwb|sfence|mfence|locked)/.test(event.kind)) handle?.(event, thread);
  }

  readonly #handlers: {
    readonly [K in EventBody["kind"]]?: (event: EventOf<K>, thread: PlainThread) => void;
  } = {
    store: (event, thread) => void this.#store(event, thread),
    "non-temporal": (event, thread) => {
      const line = this.#store(event, thread);
      if (line === undefined || this.#mode !== "dax") return;
      const flush = { ...event, position: event.seq + 1 };
      this.#lines.everFlushed.add(line.line);
      thread.joinGroup(flush, true);
      this.#lines.pend(line, thread, "non-temporal", flush);
    },
    clflush: (event, thread) => this.#flush(event, thread),
    clflushopt: (event, thread) => this.#flush(event, thread),
    clwb: (event, thread) => this.#flush(event, thread),
    sfence: (event, thread) => this.#fence(event, thread),
    mfence: (event, thread) => this.#fence(event, thread),
    locked: ({ seq, stack }, thread) => {
      if (thread.pending.size === 0) thread.clear();
      else thread.locked ??= { position: seq + 1, stack };
    },
    map: ({ start, length, path, offset, persistent }) => {
      for (const at of eights(start, length)) this.#shown.delete(at);
      for (const at of persistent ? eights(start, length) : []) this.#shown.set(at, { path, at: offset + at - start });
      for (const at of eights(start, length)) (persistent ? this.#mapped : this.#copying).add(at);
    },
    unmap: ({ start, length, stack }) => {
      this.#settle(stack);
      this.#lose(start, start + length);
      for (const at of eights(start, length)) this.#mapped.delete(at);
      for (const at of eights(start, length)) this.#copying.delete(at);
      for (const at of eights(start, length)) this.#shown.delete(at);
    },
    written: (event) => {
      const end = event.offset + ("zeros" in event ? event.zeros : event.bytes.length);
      for (const [address, { path, at }] of this.#shown)
        if (path === event.path && at + 8 > event.offset && at < end)
          for (const line of this.#lines.within(address, address + 1)) this.#lines.persist(line);
    },
    msync: ({ start, length }) => {
      for (const at of range(start, length)) this.#lines.everFlushed.add(at >>> 6);
      for (const line of this.#lines.within(start, start + length)) this.#lines.persist(line);
    },
    "thread-end": (_event, thread) => {
      const left = [...thread.pending.keys()];
      thread.clear();
      thread.lastOrdering = 0;
      for (const line of left) this.#lines.dropIfDone(line);
    },
    request: (event, thread) => this.#request(event, thread),
    exit: ({ stack }) => {
      this.#settle(stack);
      this.#lose(0, 2 ** 32);
    },
  };

  #store(event: EventOf<"store" | "non-temporal">, thread: PlainThread): PlainLine | undefined {
    const { address, size, seq } = event;
    const touched = range(address, size);
    if (touched.every((at) => this.#ignored.has(at))) return undefined;
    const line = this.#lines.obtain(address >>> 6, seq + 1);
    const earlier = line.stores.get(address >>> 3);
    const live = earlier && earlier.position > line.persisted ? earlier : undefined;
    if (live) this.#overwrite(line, live, event, thread);
    const bytes = new Map([...(live?.bytes ?? []), ...bytesOf(event)]);
    line.stores.set(address >>> 3, { ...event, position: seq + 1, bytes });
    line.last = seq + 1;
    if (thread.depth > 0 && !touched.every((at) => thread.added.has(at)))
      this.#report("unadded-store", { ...event, position: seq + 1 });
    return line;
  }

  #overwrite(line: PlainLine, live: PlainStore, event: EventOf<"store" | "non-temporal">, thread: PlainThread): void {
    const now = bytesOf(event);
    const before = [...live.bytes].filter(([at]) => now.has(at));
    const differs = before.some(([at, value]) => now.get(at) !== value) && before.some(([, value]) => value !== 0);
    const own = range(live.address & 63, live.size).some((at) => now.has(at));
    const undone = thread.depth > 0 && range(event.address, event.size).every((at) => thread.added.has(at));
    if (!differs || !own || undone || this.#mode !== "dax" || this.#isLock(event)) return;
    const ordered =
      this.#lines.thread(live.thread).lastOrdering > live.position && this.#lines.everFlushed.has(line.line);
    this.#report(ordered ? "dirty-overwrite" : "repeated-store", live);
  }

  #flush(event: EventOf<"clflush" | "clflushopt" | "clwb">, thread: PlainThread): void {
    const flush: PlainFlush = { ...event, position: event.seq + 1 };
    const number = event.address >>> 6;
    const line = this.#lines.find(number);
    const persistent = this.#mapped.size === 0 || this.#lines.everStored.has(number) || this.#mapped.has(number * 64);
    this.#lines.everFlushed.add(number);
    const needless =
      line === undefined ? (persistent ? "flush-clean" : "flush-volatile") : this.#needless(line, thread);
    if (needless !== undefined) {
      this.#report(needless, flush);
      thread.others++;
      // Whatever was asked for before, clflush waits for no fence.
      if (event.kind === "clflush" && line !== undefined) this.#lines.persist(line);
      return;
    }
    const sites = [...line!.stores.values()].filter(({ position }) => position > line!.flushed).map(({ site }) => site);
    if (new Set(sites).size > 1 && !sites.every((site) => this.#copying.has(site))) this.#report("shared-flush", flush);
    if (event.kind === "clflush") {
      thread.others++;
      this.#lines.persist(line!);
      return;
    }
    thread.joinGroup(flush, false);
    this.#lines.pend(line!, thread, "flush", flush);
  }

  /** The rule that a flush of a line with nothing dirty breaks. */
  #needless(line: PlainLine, thread: PlainThread): string | undefined {
    if (line.last > line.flushed) return undefined;
    if (line.persisted >= line.last) return "flush-clean";
    if (line.flush?.thread !== thread.id || line.means === "annotation") return undefined;
    return line.means === "non-temporal" ? "flush-nontemporal" : "flush-twice";
  }

  #fence(event: EventOf<"sfence" | "mfence">, thread: PlainThread): void {
    const place = { ...event, position: event.seq + 1 };
    const meant = event.kind === "sfence" || this.#persistingFences.has(event.site);
    if (thread.pending.size === 0) {
      if (thread.others === 0 && meant) this.#report("redundant-fence", place);
    } else {
      if (event.kind === "mfence") this.#persistingFences.add(event.site);
      if (thread.groups.length > 1) this.#report("shared-fence", place);
    }
    this.#lines.complete(thread, event.seq + 1);
  }

  #request(event: EventOf<"request">, thread: PlainThread): void {
    const { request, start, length, seq } = event;
    const touched = range(start, length);
    if (request === "remove-mapping") for (const at of touched) this.#ignored.add(at);
    if (request === "register-mapping") for (const at of touched) this.#ignored.delete(at);
    if (request === "register-mapping") for (const at of eights(start, length)) this.#mapped.add(at);
    if (request === "set-clean") this.#lines.clean(start, start + length);
    if (request === "tx-start") thread.depth++;
    if (request === "tx-add" && thread.depth > 0) for (const at of touched) thread.added.add(at);
    if (request === "tx-end" && thread.depth > 0 && --thread.depth === 0) thread.added.clear();
    if (this.#mode !== "dax") return;
    if (request === "fence") {
      this.#lines.complete(thread, seq + 1);
      thread.others++;
    }
    if (request !== "flush") return;
    for (const at of touched) this.#lines.everFlushed.add(at >>> 6);
    for (const line of this.#lines.within(start, start + length))
      if (line.last > line.flushed)
        this.#lines.pend(line, thread, "annotation", { ...event, address: line.line * 64, position: seq + 1 });
  }

  /** Memory goes away in a call; a locked operation of that very call completes nothing. */
  #settle(stack: number): void {
    const { contexts } = this.#tables;
    const leaving = contexts.chain(stack);
    for (const thread of this.#lines.threads.values()) {
      if (thread.locked === undefined) continue;
      const shared = contexts.chain(thread.locked.stack).find((context) => leaving.includes(context));
      if (shared === undefined || contexts.chain(thread.newest?.stack ?? 0).includes(shared))
        this.#lines.complete(thread, thread.locked.position);
    }
  }

  #lose(start: number, end: number): void {
    for (const line of this.#lines.within(start, end)) {
      this.#pointOutLosses(line);
      this.#lines.clean(line.line * 64, line.line * 64 + 64);
    }
  }

  #pointOutLosses(line: PlainLine): void {
    const lost = [...line.stores.values()].filter(({ position }) => position > line.persisted);
    let pendingSeen = false;
    for (const store of lost.sort((a, b) => b.position - a.position)) {
      const flushed = this.#lines.everFlushed.has(line.line);
      const dirty = this.#isLock(store) ? "transient-lock" : flushed ? "missing-flush" : "transient-data";
      if (store.position > line.flushed) this.#report(dirty, store);
      else if (line.means === "non-temporal") this.#report("nontemporal-unfenced", store);
      else if (!pendingSeen) {
        pendingSeen = true;
        this.#report("missing-fence", line.flush!);
      }
    }
  }
}
