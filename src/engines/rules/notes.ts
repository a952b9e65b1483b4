/**
 * The rarer events: mappings, msync, threads, and what the program says through client requests. Always: what a program
 * declares (a flush, a fence) is believed but never judged; the instructions themselves are in the trace too.
 */
import type { Mark } from "../../crash/finding/index.ts";
import { Mappings } from "../../model/pmem/index.ts";
import { type TraceEvent, writtenLength } from "../../trace/events/index.ts";
import { type RequestKind, requestKinds } from "../../trace/record/index.ts";
import {
  atFlushed,
  atLast,
  atMeans,
  atPersisted,
  atReferences,
  entryAt,
  means,
  slotMeta,
  slotStart,
  slotsPerLine,
  slotWords,
} from "./lines.ts";
import type { Loss } from "./rule.ts";
import type { Tracker } from "./tracker.ts";

type EventOf<K extends TraceEvent["kind"]> = TraceEvent & { readonly kind: K };
type Place = { readonly [K in "seq" | "thread" | "site" | "stack"]: number };
/** A request's record: one object for all of them, since a program on libpmemobj makes more requests than stores. */
type Request = { -readonly [K in keyof Place | "start" | "length" | "transaction"]: number };
const wholeMemory = 2 ** 32;

export class Notes {
  readonly #tracker: Tracker;
  readonly #mappings = new Mappings();

  readonly #request: Request = { seq: 0, thread: 0, site: 0, stack: 0, start: 0, length: 0, transaction: 0 };

  constructor(tracker: Tracker) {
    this.#tracker = tracker;
  }

  /** Whether the program has told anything of itself. */
  sawRequests = false;

  take(event: TraceEvent): void {
    (this.#events[event.kind] as ((event: TraceEvent) => void) | undefined)?.(event);
  }

  /** The request whose record lies at this word. */
  takeRequest(words: Uint32Array, at: number, position: number): void {
    if (!this.sawRequests) this.#tracker.noteRequest();
    this.sawRequests = true;
    const head = words[at]!;
    const request = this.#request;
    request.seq = position - 1;
    request.thread = head >>> 16;
    request.site = words[at + 1]!;
    request.start = words[at + 2]!;
    request.stack = words[at + 3]!;
    request.length = words[at + 4]!;
    request.transaction = words[at + 5]!;
    this.#requestsByCode[(head >>> 8) & 0xff]?.(request);
  }

  /** Whatever is not persisted when the program ends stays so. */
  end(): void {
    this.#settle(0);
    this.#tracker.view.position = Number.MAX_SAFE_INTEGER;
    this.#lose(0, wholeMemory);
  }

  /**
   * Memory goes away during a call, as by exit or munmap. A locked operation inside that call comes from the library's own
   * locks: a flush before the call was left without a fence, and only luck has completed it.
   */
  #settle(stack: number): void {
    const { contexts } = this.#tracker.tables;
    const leaving = new Set(contexts.chain(stack));
    for (const state of this.#tracker.threads) {
      if (state === undefined || state.get("lockedAt") === 0) continue;
      const shared = contexts.chain(state.get("lockedStack")).find((context) => leaving.has(context)) ?? 0;
      const flushing = contexts.chain(state.place("newest").stack);
      if (shared === 0 || flushing.includes(shared)) this.#tracker.complete(state, state.get("lockedAt"));
    }
  }

  readonly #events: { readonly [K in TraceEvent["kind"]]?: (event: EventOf<K>) => void } = {
    map: ({ start, length, path, offset, persistent, executable }) => {
      if (persistent) this.#tracker.map(start, start + length);
      if (persistent) this.#mappings.map(path, start, length, offset);
      if (executable) this.#tracker.libraries.noteCode(path, start, length);
    },
    unmap: (event) => {
      this.#settle(event.stack);
      this.#lookAt(event);
      this.#lose(event.start, event.start + event.length);
      this.#tracker.unmap(event.start, event.start + event.length);
      this.#mappings.unmap(event.start, event.length);
      this.#tracker.libraries.noteUnmap(event.start, event.length);
    },
    msync: ({ start, length }) => {
      const { lines } = this.#tracker;
      for (let line = start >>> 6; line < Math.ceil((start + length) / 64); line++) lines.noteFlush(line);
      for (const entry of [...lines.within(start, start + length)]) this.#tracker.persist(entry);
    },
    written: (event) => {
      const file = this.#mappings.numberOf(event.path);
      if (file === undefined) return;
      for (const { start, end } of this.#mappings.showing(file, event.offset, event.offset + writtenLength(event)))
        for (const entry of [...this.#tracker.lines.within(start, end)]) this.#tracker.persist(entry);
    },
    "thread-end": ({ thread }) => this.#endThread(thread),
    exit: (event) => {
      this.#settle(event.stack);
      this.#lookAt(event);
      this.#lose(0, wholeMemory);
    },
  };

  readonly #requests: { readonly [K in RequestKind]?: (event: Request) => void } = {
    "register-mapping": ({ start, length }) => {
      this.#tracker.heed(start, start + length);
      this.#tracker.map(start, start + length);
    },
    // What was stored before still counts, as in pmemcheck: libpmem says this before it unmaps a file.
    "remove-mapping": ({ start, length }) => this.#tracker.ignore(start, start + length),
    flush: (event) => this.#flush(event),
    fence: ({ thread, seq }) => {
      if (this.#tracker.mode !== "dax") return;
      const state = this.#tracker.thread(thread);
      this.#tracker.complete(state, seq + 1);
      // The instruction that is declared may come after its declaration: it is not to be called needless.
      state.addOther();
    },
    "set-clean": ({ start, length }) => this.#clean(start, start + length),
    "tx-start": ({ transaction, thread }) => this.#tracker.transactions.start(transaction, thread),
    "tx-end": ({ transaction }) => this.#tracker.transactions.end(transaction),
    "tx-add": (event) => {
      const { transactions, signals, view } = this.#tracker;
      this.#lookAt(event);
      const { seq, thread, site, stack, start: address, length: size } = event;
      const mark = { seq, thread, site, stack, address, size } as Mark;
      const earlier = transactions.add(event.transaction, event.start, event.length, mark);
      const other = transactions.addedByOthers(event.transaction, thread, address, size);
      if (transactions.has(event.transaction, thread)) this.#tracker.noteAdded(thread, address, address + size);
      if (earlier !== undefined) for (const signal of signals.repeatedAdd) signal(view, earlier);
      if (other !== undefined) for (const signal of signals.overlappingAdd) signal(view, other);
    },
    "tx-remove": ({ transaction, start, length }) => this.#tracker.transactions.remove(transaction, start, length),
    "tx-join": ({ transaction, thread }) => this.#tracker.transactions.join(transaction, thread),
    "tx-leave": ({ transaction, thread }) => this.#tracker.transactions.leave(transaction, thread),
    "tx-ignore": ({ start, length }) => this.#tracker.ignoreInTransactions(start, start + length),
    "object-allocated": ({ thread, start, length, site, stack }) => {
      this.#tracker.objects.set(start, length);
      this.#tracker.transactions.allocated(thread, start, length, { site, stack });
    },
    "object-freed": ({ start }) => this.#free(start, start + this.#tracker.objects.take(start)),
  };
  readonly #requestsByCode = requestKinds.map((kind) => this.#requests[kind]);

  #lookAt(event: Place & { readonly start?: number; readonly length?: number }): void {
    const { view } = this.#tracker;
    view.position = event.seq + 1;
    view.thread = event.thread;
    view.site = event.site;
    view.stack = event.stack;
    view.address = event.start ?? 0;
    view.size = event.length ?? 0;
    view.entry = 0;
  }

  /** The memory counts again, though its object may have been a lock that libpmemobj took out of persistent memory. */
  #free(start: number, end: number): void {
    this.#tracker.heed(start, end);
    this.#tracker.transactions.freed(start, end);
  }

  #flush({ start, length, thread, site, stack, seq }: Request): void {
    const { lines, mode } = this.#tracker;
    if (mode !== "dax") return;
    for (let line = start >>> 6; line < Math.ceil((start + length) / 64); line++) lines.noteFlush(line);
    const state = this.#tracker.thread(thread);
    for (const entry of lines.within(start, start + length)) {
      const base = entryAt(entry);
      if (lines.words[base + atLast]! > lines.words[base + atFlushed]!)
        this.#tracker.pend(entry, state, means.annotation, site, stack, seq + 1);
    }
  }

  /** Its flushes stay unfenced for good; its number may be given to another thread. */
  #endThread(id: number): void {
    const { lines } = this.#tracker;
    const state = this.#tracker.thread(id);
    for (let index = 0; index < state.get("count"); index++) {
      const entry = state.pendingEntry(index);
      lines.words[entryAt(entry) + atReferences]!--;
      this.#releaseIfDone(entry);
    }
    state.clear();
    state.set("lastOrdering", 0);
  }

  #releaseIfDone(entry: number): void {
    const { lines } = this.#tracker;
    const base = entryAt(entry);
    const done = lines.words[base + atPersisted]! >= lines.words[base + atLast]!;
    if (done && lines.words[base + atReferences] === 0) lines.release(entry);
  }

  /** Stores within [start, end) no longer count. */
  #clean(start: number, end: number): void {
    const { lines } = this.#tracker;
    for (const entry of [...lines.within(start, end)]) {
      const { words } = lines;
      const base = entryAt(entry);
      let last = 0;
      for (let slot = 0; slot < slotsPerLine; slot++) {
        const at = base + slotStart + slot * slotWords;
        const mask = (words[at + slotMeta]! >>> 8) & 0xff;
        const first = words[base]! * 64 + 8 * slot + (31 - Math.clz32(mask & -mask));
        if (words[at] !== 0 && first >= start && first < end) words[at] = 0;
        if (words[at]! > last) last = words[at]!;
      }
      words[base + atLast] = last;
      if (words[base + atFlushed]! > last) words[base + atFlushed] = last;
      this.#releaseIfDone(entry);
    }
  }

  /** Memory goes away: what is not persisted is pointed out, then forgotten. */
  #lose(start: number, end: number): void {
    const { lines, view } = this.#tracker;
    for (const entry of [...lines.within(start, end)]) {
      view.entry = entry;
      this.#pointOutLosses(entry);
      this.#clean(lines.words[entryAt(entry)]! * 64, lines.words[entryAt(entry)]! * 64 + 64);
    }
  }

  #pointOutLosses(entry: number): void {
    const { lines, view, signals } = this.#tracker;
    const base = entryAt(entry);
    const flushed = lines.words[base + atFlushed]!;
    const line = lines.words[base]!;
    let pendingSeen = false;
    for (const slot of view.slotsAbove(lines.words[base + atPersisted]!).reverse()) {
      const dirty = lines.words[base + slotStart + slot * slotWords]! > flushed;
      const nonTemporal = lines.words[base + atMeans] === means.nonTemporal;
      const how: Loss = dirty ? "dirty" : nonTemporal ? "non-temporal" : "pending";
      // One missing fence is one finding, however many stores its flush covers.
      if (how === "pending" && pendingSeen) continue;
      pendingSeen ||= how === "pending";
      view.slot = slot;
      const isLock = how === "dirty" && this.#tracker.locks.isLock(view.storeIn().address!, view.position);
      for (const signal of signals.loss) signal(view, isLock ? "lock" : how, lines.wasFlushed(line));
    }
  }
}
