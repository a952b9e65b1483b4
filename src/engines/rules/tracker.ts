/**
 * The pass over a trace that all rules share: it follows each line from store to persisted, points out the situations that
 * rules care about, and costs the same for every event. Always:
 * - The trace is in the order in which stores reached the cache, so a flush covers what lies before it in the trace.
 * - clflush persists at once; clwb and clflushopt once their own thread fences; a non-temporal store is as good as a store
 *   and a flush of its line (docs/MODEL.md §2). A fence completes no other thread's flushes.
 */
import type { Mark } from "../../crash/finding/index.ts";
import type { EventSink, TraceTables } from "../../trace/events/index.ts";
import { decodeEvent } from "../../trace/events/index.ts";
import {
  codeIn,
  codeOf,
  firstNote,
  inRecord,
  recordBytes,
  recordWords,
  storedBytes,
} from "../../trace/record/index.ts";
import { type Core, createCore } from "./core/index.ts";
import { EventView } from "./event-view.ts";
import { type FrameLookup, FreshMemory } from "./fresh-memory.ts";
import { Libraries } from "./libraries.ts";
import {
  atDirtySite,
  atFlushed,
  atFlushThread,
  atLast,
  atMeans,
  atPersisted,
  atReferences,
  entryAt,
  LineTable,
  means,
  severalSites,
  slotMeta,
  slotSite,
  slotStack,
  slotStart,
  slotsPerLine,
  slotWords,
} from "./lines.ts";
import { LockWords } from "./locks.ts";
import { cell, flaggedLines, lineFlags, pageFlag, TrackerMemory, table, wordAt } from "./memory.ts";
import { Notes } from "./notes.ts";
import { GivenObjects } from "./objects.ts";
import { PlainRanges } from "./plain-ranges.ts";
import { RangeMap } from "./ranges.ts";
import { Repeats, repeat } from "./repeats.ts";
import type { IdleFlush, PmMode } from "./rule.ts";
import type { Signals } from "./signals.ts";
import { SimpleTransaction } from "./simple-transaction.ts";
import { ThreadState } from "./threads.ts";
import { Transactions } from "./transactions.ts";

const {
  "non-temporal": nonTemporalCode,
  store: storeCode,
  request: requestCode,
  clwb,
  clflush,
  sfence,
  mfence,
} = codeOf;

/** Records are looked at so many at a time: they and what they came from fit the processor's second-level cache. */
const chunkWords = 4096 * recordWords;

export class Tracker implements EventSink {
  readonly threads: (ThreadState | undefined)[] = [];
  readonly lines: LineTable;
  readonly view: EventView;
  readonly signals: Signals;
  readonly libraries: Libraries;
  readonly mode: PmMode;
  readonly transactions: Transactions;
  /** Persistent mappings, and below what the program took out of them. */
  readonly #mapped = new RangeMap<undefined>();
  readonly #ignored = new RangeMap<undefined>();
  readonly notes: Notes;
  readonly tables: TraceTables;
  readonly #memory = new TrackerMemory();
  readonly #plain = new PlainRanges(this.#memory);
  readonly #core: Core = createCore(this.#memory);
  readonly locks = new LockWords(this.#memory, this.#core);
  readonly objects = new GivenObjects(this.#memory);
  readonly #repeats = new Repeats(this.#memory, this.#core, (...repeated) => this.#tellRepeats(...repeated));
  /** mfences that have completed flushes: only those are known to be meant for persistence. */
  readonly #persistingFences = new Set<number>();
  /** The newest unpersisted store outside any transaction, per object of transactions. */
  readonly #looseStores = new Map<number, Mark>();

  constructor(tables: TraceTables, signals: Signals, mode: PmMode, frames: FrameLookup = () => []) {
    this.tables = tables;
    this.signals = signals;
    this.mode = mode;
    this.lines = new LineTable(this.#memory, this.#core);
    this.view = new EventView(this.lines, tables);
    this.libraries = new Libraries(tables.contexts, (...changed) => this.#codeChanged(...changed));
    const fresh = new FreshMemory(tables.contexts, this.libraries, frames);
    this.transactions = new Transactions(new SimpleTransaction(this.#memory), fresh, {
      objectMade: (start, end) => {
        this.flagLines(start, end, pageFlag.objects);
        this.#plain.objectMade();
      },
      allowedLess: () => this.#plain.allowedLess(),
      countChanged: (thread, count) => this.thread(thread).set("transactions", count),
      runningChanged: (count) => this.#setCell(cell.runningTransactions, count),
    });
    this.notes = new Notes(this);
    this.#setCell(cell.judgesOverwrites, signals.overwrite.length > 0 ? 1 : 0);
  }

  #setCell(which: number, value: number): void {
    this.#memory.words[wordAt(which)] = value;
  }

  /** The program has told something of itself. */
  noteRequest(): void {
    this.#setCell(cell.sawRequests, 1);
  }

  /** A thread added a range to its transaction: it will store there next. */
  noteAdded(thread: number, start: number, end: number): void {
    this.#plain.allow(this.thread(thread).address, { start, end });
  }

  thread(id: number): ThreadState {
    const known = this.threads[id];
    if (known !== undefined) return known;
    const state = new ThreadState(id, this.#memory);
    this.threads[id] = state;
    return state;
  }

  flagPages(start: number, end: number, flag: number): void {
    const { bytes } = this.#memory;
    for (let page = start >>> 12; page < Math.ceil(end / 4096); page++) bytes[table.pageFlags + page]! |= flag;
  }

  /** A page's flag that counts for stores to some of its lines only. */
  flagLines(start: number, end: number, flag: keyof typeof lineFlags): void {
    this.flagPages(start, end, flag);
    const { bytes } = this.#memory;
    const [first, after] = [start >>> 6, Math.ceil(end / 64)];
    const lines = Math.min(after - first, flaggedLines);
    const at = first % flaggedLines;
    const wrapped = Math.max(0, at + lines - flaggedLines);
    bytes.fill(1, lineFlags[flag] + at, lineFlags[flag] + at + lines - wrapped);
    bytes.fill(1, lineFlags[flag], lineFlags[flag] + wrapped);
  }

  #unflagPages(start: number, end: number, flag: number): void {
    const { bytes } = this.#memory;
    for (let page = start >>> 12; page < Math.ceil(end / 4096); page++) bytes[table.pageFlags + page]! &= ~flag;
  }

  /** Only pages that are in the range as a whole. */
  #flagWholePages(start: number, end: number, flag: number): void {
    this.flagPages(Math.ceil(start / 4096) * 4096, Math.floor(end / 4096) * 4096, flag);
  }

  map(start: number, end: number): void {
    this.#mapped.add(start, end, undefined);
    this.#flagWholePages(start, end, pageFlag.persistent);
  }

  unmap(start: number, end: number): void {
    this.#mapped.remove(start, end);
    this.#unflagPages(start, end, pageFlag.persistent);
  }

  /** Stores of code that copies count as those of one site; once it is gone they do not. */
  #codeChanged(kind: "copying" | "pmem", start: number, end: number, now: "here" | "gone"): void {
    if (now === "here" && kind === "copying") this.flagPages(start, end, pageFlag.copied);
    if (now === "here") return this.#flagWholePages(start, end, pageFlag[kind]);
    this.#unflagPages(start, end, pageFlag[kind]);
    if (kind === "pmem") return;
    for (const entry of this.lines.within(0, 2 ** 32)) this.lines.words[entryAt(entry) + atDirtySite] = severalSites;
  }

  #flagsOf(address: number): number {
    return this.#memory.bytes[table.pageFlags + (address >>> 12)]!;
  }

  events(words: Uint32Array, first: number): void {
    for (let at = 0; at < words.length; at += chunkWords) {
      const chunk = words.subarray(at, at + chunkWords);
      const last = wordAt(table.records) + chunk.length - recordWords;
      this.#memory.words.set(chunk, wordAt(table.records));
      this.#chunk(table.records + chunk.byteLength, first + 1 + at / recordWords);
      this.#memory.words.copyWithin(wordAt(table.records) - recordWords, last, last + recordWords);
    }
  }

  /** Goes through the records before `end`; the first one's position is given. */
  #chunk(end: number, first: number): void {
    const persisting = this.mode === "dax" ? 1 : 0;
    const positionOf = (record: number) => first + (record - table.records) / recordBytes;
    for (let record: number = table.records; record < end; ) {
      record = this.#core.take(record, end, positionOf(record), persisting);
      if (record === end) return;
      const thread = this.#memory.words[wordAt(record)]! >>> 16;
      const known = this.threads[thread];
      if (known === undefined) this.thread(thread);
      else {
        this.#lookCloser(wordAt(record), positionOf(record), known);
        record += recordBytes;
      }
    }
  }

  end(): void {
    this.notes.end();
  }

  /** All situations so far have been told of. */
  settle(): void {
    this.#repeats.settle();
  }

  #tellRepeats(what: number, site: number, stack: number, times: number): void {
    const { view, signals } = this;
    view.site = view.earlierSite = site;
    view.stack = view.earlierStack = stack;
    signals.repeat(times, () => {
      if (what === repeat.cleanFlush) for (const signal of signals.idleFlush) signal(view, "clean");
      if (what === repeat.idleFence) for (const signal of signals.idleFence) signal(view);
      if (what === repeat.sharedFence) for (const signal of signals.sharedFence) signal(view);
      if (what === repeat.sharedFlush) for (const signal of signals.sharedFlush) signal(view);
      if (what === repeat.overwrite) for (const signal of signals.overwrite) signal(view, false);
      if (what === repeat.orderedOverwrite) for (const signal of signals.overwrite) signal(view, true);
    });
  }

  /** This was pointed out at a record's place. */
  #remember(what: number, at: number): void {
    const { words } = this.#memory;
    this.#repeats.remember(what, words[at + inRecord.site]!, words[at + inRecord.stack]!);
  }

  /** What compiled code leaves to us. */
  #lookCloser(at: number, position: number, state: ThreadState): void {
    const code = this.#memory.words[at]! & 0xff;
    if (code === requestCode) this.notes.takeRequest(this.#memory.words, at, position);
    else if (code >= firstNote) {
      const words = this.#memory.words.subarray(at, at + recordWords);
      this.notes.take(decodeEvent(words, 0, position - 1, this.tables.texts));
    } else if (code === storeCode) this.#store(at, position, state);
    else if (code === nonTemporalCode) this.#nonTemporal(at, position, state);
    else if (code <= clwb) this.#flush(at, position, state);
    else this.#fence(at, position, state);
  }

  /** Fills the view from a record. */
  #look(at: number, position: number, entry: number): EventView {
    const { view } = this;
    const { words } = this.#memory;
    const head = words[at]!;
    view.position = position;
    view.thread = head >>> 16;
    view.size = storedBytes(head);
    view.site = words[at + 1]!;
    view.address = words[at + 2]!;
    view.stack = words[at + 3]!;
    view.low = words[at + 4]!;
    view.high = words[at + 5]!;
    view.entry = entry;
    return view;
  }

  /** Returns the line's entry, or 0 when the program said that this memory does not count. */
  #store(at: number, position: number, state: ThreadState): number {
    const address = this.#memory.words[at + 2]!;
    const flags = this.#flagsOf(address);
    this.locks.follow(at, position);
    if (flags !== 0 && this.#isIgnored(at)) return 0;
    const entry = this.lines.obtain(address >>> 6, position);
    if (this.signals.overwrite.length > 0 && this.#core.overwrites(4 * at, entry) !== 0)
      this.#overwrite(at, position, entry);
    this.#core.put(4 * at, entry, position);
    if (state.get("transactions") > 0 || flags !== 0) this.#storeWithTransactions(at, position, entry, state);
    return entry;
  }

  #isIgnored(at: number): boolean {
    const { words } = this.#memory;
    const address = words[at + 2]!;
    if ((this.#flagsOf(address) & pageFlag.ignored) === 0) return false;
    const end = address + storedBytes(words[at]!);
    const range = this.#ignored.holding(address, end);
    if (range !== undefined) this.#plain.ignore(range);
    return range !== undefined || this.#ignored.covers(address, end);
  }

  /** Stores there do not count. */
  ignore(start: number, end: number): void {
    this.#ignored.add(start, end, undefined);
    this.flagLines(start, end, pageFlag.ignored);
  }

  /** Stores there count again. */
  heed(start: number, end: number): void {
    this.#ignored.remove(start, end);
    this.#plain.ignoredLess({ start, end });
  }

  /** Transactions may store there without adding it. */
  ignoreInTransactions(start: number, end: number): void {
    this.transactions.ignored.add(start, end, undefined);
    this.#flagWholePages(start, end, pageFlag.free);
  }

  #overwrite(at: number, position: number, entry: number): void {
    const view = this.#look(at, position, entry);
    view.slot = (view.address >>> 3) & 7;
    const { address, size } = view;
    if (this.transactions.protects(view.thread, address, address + size) || this.locks.isLock(address, position))
      return;
    const slot = entryAt(entry) + slotStart + view.slot * slotWords;
    const [earlier, storer] = [this.lines.words[slot]!, this.lines.words[slot + slotMeta]! >>> 16];
    const ordered = this.thread(storer).get("lastOrdering") > earlier && this.lines.wasFlushed(address >>> 6);
    const [site, stack] = [this.lines.words[slot + slotSite]!, this.lines.words[slot + slotStack]!];
    view.earlierSite = site;
    view.earlierStack = stack;
    for (const signal of this.signals.overwrite) signal(view, ordered);
    this.#repeats.remember(ordered ? repeat.orderedOverwrite : repeat.overwrite, site, stack);
  }

  #storeWithTransactions(at: number, position: number, entry: number, state: ThreadState): void {
    const view = this.#look(at, position, entry);
    const { address, size, thread } = view;
    view.slot = (address >>> 3) & 7;
    if (state.get("transactions") > 0) {
      const allowed = this.transactions.rangeOf(thread, address, address + size);
      if (allowed !== undefined) return this.#plain.allow(state.address, allowed);
      if (this.transactions.allows(thread, address, address + size, view.stack)) return;
      for (const signal of this.signals.unaddedStore) signal(view);
    } else if ((this.#flagsOf(address) & pageFlag.objects) !== 0) this.#looseStore(view);
  }

  /**
   * A single store of at most eight bytes that is persisted before the next one is failure-atomic, so only a second store
   * that finds the first unpersisted is pointed out.
   */
  #looseStore(view: EventView): void {
    const gap = this.transactions.objects.gapAt(view.address);
    if (gap !== undefined) return this.#plain.noObjectsIn(gap);
    const object = this.transactions.objects.at(view.address)!;
    if (this.transactions.ignored.at(view.address) !== undefined) return;
    if (this.libraries.belongsToPmem(view.site, view.stack)) return;
    const other = this.#looseStores.get(object.start);
    this.#looseStores.set(object.start, { ...view.store(), address: view.address });
    if (other === undefined || other.address === view.address || this.isPersisted(other)) return;
    for (const signal of this.signals.looseStore) signal(view, other, object.data);
  }

  /** Whether a remembered store is persisted; one that was overwritten since no longer counts. */
  isPersisted({ address = 0, seq }: Mark): boolean {
    const { words } = this.lines;
    const base = entryAt(this.lines.find(address >>> 6));
    const position = words[base + slotStart + ((address >>> 3) & 7) * slotWords]!;
    return position !== seq + 1 || position <= words[base + atPersisted]!;
  }

  #nonTemporal(at: number, position: number, state: ThreadState): void {
    const entry = this.#store(at, position, state);
    if (entry === 0 || this.mode !== "dax") return;
    const { words } = this.#memory;
    this.lines.noteFlush(words[at + 2]! >>> 6);
    this.#core.joinGroup(state.address, 4 * at, position, 1);
    this.pend(entry, state, means.nonTemporal, words[at + 1]!, words[at + 3]!, position);
  }

  /** The line's stores so far are on their way: they persist when the thread fences. */
  pend(entry: number, state: ThreadState, how: number, site: number, stack: number, position: number): void {
    this.#core.pend(state.address, entry, how, site, stack, position);
  }

  /** The line's stores so far are persisted. */
  persist(entry: number): void {
    const { words } = this.lines;
    const base = entryAt(entry);
    words[base + atFlushed] = words[base + atLast]!;
    words[base + atPersisted] = words[base + atLast]!;
    if (words[base + atReferences] === 0) this.lines.release(entry);
  }

  #flush(at: number, position: number, state: ThreadState): void {
    const { lines } = this;
    const { words } = lines;
    const line = words[at + 2]! >>> 6;
    const entry = lines.find(line);
    if (entry === 0) {
      this.#idleFlush(at, position, 0, this.isPersistent(line) ? "clean" : "outside", state);
      lines.noteFlush(line);
      return;
    }
    lines.noteFlush(line);
    const isSynchronous = codeIn(words[at]!) === clflush;
    const base = entryAt(entry);
    const last = words[base + atLast]!;
    if (last > words[base + atFlushed]!) {
      if (words[base + atDirtySite] === severalSites) this.#sharedFlush(at, position, entry);
    } else if (words[base + atPersisted]! >= last) {
      this.#idleFlush(at, position, entry, "clean", state);
      return;
    } else if (words[base + atFlushThread] === state.id) {
      const how = words[base + atMeans]!;
      if (how !== means.annotation) {
        const why = how === means.nonTemporal ? "non-temporal" : "twice";
        this.#idleFlush(at, position, entry, why, state);
        // Asked for twice, but this one waits for no fence.
        if (isSynchronous) this.persist(entry);
        return;
      }
    }
    if (isSynchronous) {
      state.addOther();
      this.persist(entry);
      return;
    }
    this.#core.joinGroup(state.address, 4 * at, position, 0);
    this.pend(entry, state, means.flush, words[at + 1]!, words[at + 3]!, position);
  }

  isPersistent(line: number): boolean {
    return this.#mapped.isEmpty || this.lines.wasStored(line) || this.#mapped.at(line * 64) !== undefined;
  }

  #idleFlush(at: number, position: number, entry: number, why: IdleFlush, state: ThreadState): void {
    const view = this.#look(at, position, entry);
    state.addOther();
    for (const signal of this.signals.idleFlush) signal(view, why);
    if (why === "clean") this.#remember(repeat.cleanFlush, at);
  }

  /** Stores that copy on somebody's behalf are one store to the program, so they do not count. */
  #sharedFlush(at: number, position: number, entry: number): void {
    const { words: known } = this.lines;
    const base = entryAt(entry);
    const flushed = known[base + atFlushed]!;
    if (this.signals.sharedFlush.length === 0) return;
    let site = 0;
    for (let slot = 0; slot < slotsPerLine; slot++) {
      const place = base + slotStart + slot * slotWords;
      if (known[place]! <= flushed) continue;
      const other = known[place + slotSite]!;
      if (site !== 0 && other !== site && !(this.libraries.copies(site) && this.libraries.copies(other))) {
        const view = this.#look(at, position, entry);
        for (const signal of this.signals.sharedFlush) signal(view);
        this.#remember(repeat.sharedFlush, at);
        return;
      }
      site = other;
    }
  }

  #fence(at: number, position: number, state: ThreadState): void {
    const { words } = this.#memory;
    const code = words[at]! & 0xff;
    if (state.get("count") === 0) {
      const meant = code === sfence || (code === mfence && this.#persistingFences.has(words[at + 1]!));
      if (state.get("others") === 0 && meant) {
        const view = this.#look(at, position, 0);
        for (const signal of this.signals.idleFence) signal(view);
        this.#remember(repeat.idleFence, at);
      }
    } else {
      if (code === mfence) this.#persistingFences.add(words[at + 1]!);
      if (state.get("groups") > 1) {
        const view = this.#look(at, position, 0);
        view.state = state;
        for (const signal of this.signals.sharedFence) signal(view);
        this.#remember(repeat.sharedFence, at);
      }
    }
    this.complete(state, position);
  }

  /** A thread's pending flushes are done. */
  complete(state: ThreadState, position: number): void {
    this.#core.complete(state.address, position);
  }
}
