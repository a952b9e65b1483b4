/**
 * The pass over a trace that all rules share: it follows each line from store to persisted, points out the moments that
 * rules care about, and costs the same for every event. Always:
 * - The trace is in the order in which stores reached the cache, so a flush covers what lies before it in the trace.
 * - clflush persists at once; clwb and clflushopt once their own thread fences; a non-temporal store is as good as a store
 *   and a flush of its line (docs/MODEL.md §2). A fence completes no other thread's flushes.
 */
import type { Mark } from "../../finding/index.ts";
import type { EventSink, TraceTables } from "../../trace/index.ts";
import { codeOf, decodeEvent, firstNote, recordWords } from "../../trace/index.ts";
import { Libraries } from "./libraries.ts";
import {
  atDirtySite,
  atFlushed,
  atFlushPosition,
  atFlushSite,
  atFlushStack,
  atFlushThread,
  atLast,
  atMeans,
  atPending,
  atPersisted,
  atReferences,
  entryAt,
  entryWords,
  LineTable,
  means,
  severalSites,
  slotHigh,
  slotLow,
  slotMeta,
  slotSite,
  slotStack,
  slotStart,
  slotsPerLine,
  slotWords,
} from "./lines.ts";
import { Moment } from "./moment.ts";
import { Notes } from "./notes.ts";
import { overlapDiffers, placeValue } from "./overlap.ts";
import { RangeMap } from "./ranges.ts";
import type { IdleFlush, PmMode } from "./rule.ts";
import type { Signals } from "./signals.ts";
import { pendingWords, ThreadState } from "./threads.ts";
import { Transactions } from "./transactions.ts";

/** What of a page needs a closer look at every store. */
export const pageFlag = { ignored: 1, objects: 2 } as const;

const { store: storeCode, "non-temporal": nonTemporalCode, clwb, clflush, lfence, sfence, mfence, locked } = codeOf;

export class Tracker implements EventSink {
  readonly lines = new LineTable();
  readonly threads: (ThreadState | undefined)[] = [];
  readonly moment: Moment;
  readonly signals: Signals;
  readonly libraries: Libraries;
  readonly mode: PmMode;
  readonly transactions: Transactions;
  /** Persistent mappings, and what the program took out of them. */
  readonly mapped = new RangeMap<undefined>();
  readonly ignored = new RangeMap<undefined>();
  readonly pageFlags = new Uint8Array(1 << 20);
  readonly notes: Notes;
  readonly tables: TraceTables;
  /** mfences that have completed flushes: only those are known to be meant for persistence. */
  readonly #persistingFences = new Set<number>();
  /** The newest unpersisted store outside any transaction, per object of transactions. */
  readonly #looseStores = new Map<number, Mark>();

  constructor(tables: TraceTables, signals: Signals, mode: PmMode) {
    this.tables = tables;
    this.signals = signals;
    this.mode = mode;
    this.moment = new Moment(this.lines, tables);
    this.libraries = new Libraries(tables.contexts);
    this.transactions = new Transactions((start, end) => this.flagPages(start, end, pageFlag.objects));
    this.notes = new Notes(this);
  }

  thread(id: number): ThreadState {
    const known = this.threads[id];
    if (known !== undefined) return known;
    const state = new ThreadState(id);
    this.threads[id] = state;
    return state;
  }

  flagPages(start: number, end: number, flag: number): void {
    for (let page = start >>> 12; page < Math.ceil(end / 4096); page++) this.pageFlags[page]! |= flag;
  }

  events(words: Uint32Array, first: number): void {
    const { lines, pageFlags } = this;
    const { pages } = lines;
    const persisting = this.mode === "dax";
    let state = this.thread(0);
    let position = first + 1;
    for (let at = 0; at < words.length; at += recordWords, position++) {
      const head = words[at]!;
      const code = head & 0xff;
      if (head >>> 16 !== state.id) state = this.thread(head >>> 16);
      if (state.lockedAt !== 0 && (code < sfence || (code > locked && code < firstNote)))
        this.complete(state, state.lockedAt);
      if (code === storeCode) {
        const address = words[at + 2]!;
        if (pageFlags[address >>> 12] !== 0 || state.transactions > 0) this.#store(words, at, position, state);
        else {
          const line = address >>> 6;
          let entry = lines.entries[pages[line >>> 6]! + (line & 63)]!;
          if (entry === 0) entry = lines.add(line, position);
          this.#put(words, at, position, entry);
        }
      } else if (code >= firstNote)
        this.notes.take(decodeEvent(words, at / recordWords, position - 1, this.tables.texts));
      else if (code === nonTemporalCode) this.#nonTemporal(words, at, position, state);
      else if (!persisting) continue;
      else if (code <= clwb) this.#flush(words, at, position, state);
      else if (code === locked) this.#locked(words, at, position, state);
      else if (code !== lfence) this.#fence(words, at, position, state);
    }
  }

  end(): void {
    this.notes.end();
  }

  /** Fills the moment from a record. */
  #look(words: Uint32Array, at: number, position: number, entry: number): Moment {
    const { moment } = this;
    const head = words[at]!;
    moment.position = position;
    moment.thread = head >>> 16;
    moment.size = (head >>> 8) & 0xff;
    moment.site = words[at + 1]!;
    moment.address = words[at + 2]!;
    moment.stack = words[at + 3]!;
    moment.low = words[at + 4]!;
    moment.high = words[at + 5]!;
    moment.entry = entry;
    return moment;
  }

  /** Returns the line's entry, or 0 when the program said that this memory does not count. */
  #store(words: Uint32Array, at: number, position: number, state: ThreadState): number {
    const { lines } = this;
    const flags = this.pageFlags[words[at + 2]! >>> 12]!;
    if (flags !== 0 && this.#isIgnored(words, at)) return 0;
    const line = words[at + 2]! >>> 6;
    let entry = lines.find(line);
    if (entry === 0) entry = lines.add(line, position);
    this.#put(words, at, position, entry);
    if (state.transactions > 0 || flags !== 0) this.#storeWithTransactions(words, at, position, entry, state);
    return entry;
  }

  /** Puts a store into its slot. */
  #put(words: Uint32Array, at: number, position: number, entry: number): void {
    const known = this.lines.words;
    const base = entry << 6;
    const address = words[at + 2]!;
    const site = words[at + 1]!;
    const slot = base + slotStart + ((address >>> 3) & 7) * slotWords;
    const size = (words[at]! >>> 8) & 0xff;
    const mask = size === 8 ? 0xff : ((1 << size) - 1) << (address & 7);
    let covered = mask;
    if (known[slot]! > known[base + atPersisted]!) {
      const meta = known[slot + slotMeta]!;
      if ((meta & mask) !== 0 && overlapDiffers(known, slot, words, at, meta & mask))
        this.#overwrite(words, at, position, entry, meta, mask);
      covered |= meta & 0xff;
    }
    if (mask === 0xff) {
      known[slot + slotLow] = words[at + 4]!;
      known[slot + slotHigh] = words[at + 5]!;
    } else placeValue(known, slot, words, at, mask);
    known[slot] = position;
    known[slot + slotSite] = site;
    known[slot + slotStack] = words[at + 3]!;
    known[slot + slotMeta] = (words[at]! & 0xffff0000) | (mask << 8) | covered;
    if (known[base + atLast]! <= known[base + atFlushed]!) known[base + atDirtySite] = site;
    else if (known[base + atDirtySite] !== site) known[base + atDirtySite] = severalSites;
    known[base + atLast] = position;
  }

  #isIgnored(words: Uint32Array, at: number): boolean {
    const address = words[at + 2]!;
    if ((this.pageFlags[address >>> 12]! & pageFlag.ignored) === 0) return false;
    return this.ignored.covers(address, address + ((words[at]! >>> 8) & 0xff));
  }

  /** `meta` is the earlier store's: only its own bytes are known to be from its site. */
  #overwrite(words: Uint32Array, at: number, position: number, entry: number, meta: number, mask: number): void {
    if (this.signals.overwrite.length === 0 || ((meta >>> 8) & mask) === 0) return;
    const moment = this.#look(words, at, position, entry);
    moment.slot = (moment.address >>> 3) & 7;
    const { address, size } = moment;
    if (this.transactions.protects(moment.thread, address, address + size)) return;
    const earlier = this.lines.words[entryAt(entry) + slotStart + moment.slot * slotWords]!;
    const ordered = this.thread(meta >>> 16).lastOrdering > earlier && this.lines.wasFlushed(address >>> 6);
    for (const signal of this.signals.overwrite) signal(moment, ordered);
  }

  #storeWithTransactions(words: Uint32Array, at: number, position: number, entry: number, state: ThreadState): void {
    const moment = this.#look(words, at, position, entry);
    const { address, size, thread } = moment;
    moment.slot = (address >>> 3) & 7;
    if (state.transactions > 0) {
      if (this.transactions.allows(thread, address, address + size)) return;
      for (const signal of this.signals.unaddedStore) signal(moment);
    } else if ((this.pageFlags[address >>> 12]! & pageFlag.objects) !== 0) this.#looseStore(moment);
  }

  /**
   * A single store of at most eight bytes that is persisted before the next one is failure-atomic, so only a second store
   * that finds the first unpersisted is pointed out.
   */
  #looseStore(moment: Moment): void {
    const object = this.transactions.objects.at(moment.address);
    if (object === undefined || this.transactions.ignored.at(moment.address) !== undefined) return;
    if (this.libraries.belongsToPmem(moment.site, moment.stack)) return;
    const other = this.#looseStores.get(object.start);
    this.#looseStores.set(object.start, { ...moment.store(), address: moment.address });
    if (other === undefined || other.address === moment.address || this.isPersisted(other)) return;
    for (const signal of this.signals.looseStore) signal(moment, other, object.data);
  }

  /** Whether a remembered store is persisted; one that was overwritten since no longer counts. */
  isPersisted({ address = 0, seq }: Mark): boolean {
    const { words } = this.lines;
    const base = entryAt(this.lines.find(address >>> 6));
    const position = words[base + slotStart + ((address >>> 3) & 7) * slotWords]!;
    return position !== seq + 1 || position <= words[base + atPersisted]!;
  }

  #nonTemporal(words: Uint32Array, at: number, position: number, state: ThreadState): void {
    const entry = this.#store(words, at, position, state);
    if (entry === 0 || this.mode !== "dax") return;
    const [site, address, stack] = [words[at + 1]!, words[at + 2]!, words[at + 3]!];
    this.lines.noteFlush(address >>> 6);
    state.joinGroup(site, stack, address, position, true);
    this.pend(entry, state, means.nonTemporal, site, stack, position);
  }

  /** The line's stores so far are on their way: they persist when the thread fences. */
  pend(entry: number, state: ThreadState, how: number, site: number, stack: number, position: number): void {
    const { words } = this.lines;
    const base = entryAt(entry);
    const bound = words[base + atLast]!;
    const at = words[base + atPending]!;
    const same = words[base + atFlushThread] === state.id && at < state.count;
    if (same && state.pending[pendingWords * at] === entry) state.pending[pendingWords * at + 1] = bound;
    else {
      words[base + atPending] = state.push(entry, bound);
      words[base + atReferences]!++;
    }
    words[base + atFlushed] = bound;
    words[base + atMeans] = how;
    words[base + atFlushSite] = site;
    words[base + atFlushStack] = stack;
    words[base + atFlushThread] = state.id;
    words[base + atFlushPosition] = position;
  }

  /** The line's stores so far are persisted. */
  persist(entry: number): void {
    const { words } = this.lines;
    const base = entryAt(entry);
    words[base + atFlushed] = words[base + atLast]!;
    words[base + atPersisted] = words[base + atLast]!;
    if (words[base + atReferences] === 0) this.lines.release(entry);
  }

  #flush(words: Uint32Array, at: number, position: number, state: ThreadState): void {
    const address = words[at + 2]!;
    const { lines } = this;
    const line = address >>> 6;
    const entry = lines.find(line);
    if (entry === 0) {
      this.#idleFlush(this.#look(words, at, position, 0), this.isPersistent(line) ? "clean" : "outside", state);
      lines.noteFlush(line);
      return;
    }
    lines.noteFlush(line);
    const { words: known } = lines;
    const base = entryAt(entry);
    const last = known[base + atLast]!;
    if (last > known[base + atFlushed]!) {
      if (known[base + atDirtySite] === severalSites) this.#sharedFlush(words, at, position, entry);
    } else if (known[base + atPersisted]! >= last) {
      this.#idleFlush(this.#look(words, at, position, entry), "clean", state);
      return;
    } else if (known[base + atFlushThread] === state.id) {
      const how = known[base + atMeans]!;
      if (how !== means.annotation) {
        const why = how === means.nonTemporal ? "non-temporal" : "twice";
        this.#idleFlush(this.#look(words, at, position, entry), why, state);
        return;
      }
    }
    if ((words[at]! & 0xff) === clflush) {
      state.others++;
      this.persist(entry);
      return;
    }
    state.joinGroup(words[at + 1]!, words[at + 3]!, address, position, false);
    this.pend(entry, state, means.flush, words[at + 1]!, words[at + 3]!, position);
  }

  isPersistent(line: number): boolean {
    return this.mapped.size === 0 || this.lines.wasStored(line) || this.mapped.at(line * 64) !== undefined;
  }

  #idleFlush(moment: Moment, why: IdleFlush, state: ThreadState): void {
    state.others++;
    for (const signal of this.signals.idleFlush) signal(moment, why);
  }

  /** Stores that copy on somebody's behalf are one store to the program, so they do not count. */
  #sharedFlush(words: Uint32Array, at: number, position: number, entry: number): void {
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
        const moment = this.#look(words, at, position, entry);
        for (const signal of this.signals.sharedFlush) signal(moment);
        return;
      }
      site = other;
    }
  }

  #fence(words: Uint32Array, at: number, position: number, state: ThreadState): void {
    const code = words[at]! & 0xff;
    if (state.count === 0) {
      const meant = code === sfence || (code === mfence && this.#persistingFences.has(words[at + 1]!));
      if (state.others === 0 && meant)
        for (const signal of this.signals.idleFence) signal(this.#look(words, at, position, 0));
    } else {
      if (code === mfence) this.#persistingFences.add(words[at + 1]!);
      if (state.groups > 1 && this.signals.sharedFence.length > 0) {
        const moment = this.#look(words, at, position, 0);
        moment.state = state;
        for (const signal of this.signals.sharedFence) signal(moment);
      }
    }
    this.complete(state, position);
  }

  /** Completes flushes like a fence, but is seldom meant to: it is never called needless, nor said to be shared. */
  #locked(words: Uint32Array, at: number, position: number, state: ThreadState): void {
    if (state.count === 0) state.clear();
    else if (state.lockedAt === 0) {
      state.lockedAt = position;
      state.lockedStack = words[at + 3]!;
    }
  }

  /** A thread's pending flushes are done. */
  complete(state: ThreadState, position: number): void {
    const { lines } = this;
    const { words } = lines;
    if (state.count > 0) state.lastOrdering = position;
    for (let index = 0; index < state.count; index++) {
      const entry = state.pending[pendingWords * index]!;
      const bound = state.pending[pendingWords * index + 1]!;
      const base = entry * entryWords;
      if (words[base + atPersisted]! < bound) words[base + atPersisted] = bound;
      const references = --words[base + atReferences]!;
      if (references === 0 && words[base + atPersisted]! >= words[base + atLast]!) lines.release(entry);
    }
    state.clear();
  }
}
