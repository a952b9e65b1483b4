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
  entryAt,
  entryWords,
  field,
  LineTable,
  means,
  severalSites,
  slotField,
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
    const persisting = this.mode === "dax";
    let state = this.thread(0);
    let position = first + 1;
    for (let at = 0; at < words.length; at += recordWords, position++) {
      const head = words[at]!;
      const code = head & 0xff;
      const thread = head >>> 16;
      if (thread !== state.id) state = this.thread(thread);
      if (state.lockedAt !== 0 && (code < sfence || (code > locked && code < firstNote)))
        this.complete(state, state.lockedAt);
      if (code === storeCode) this.#store(words, at, position, state);
      else if (code >= firstNote)
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
    const address = words[at + 2]!;
    const { lines } = this;
    const flags = this.pageFlags[address >>> 12]!;
    if (flags !== 0 && this.#isIgnored(words, at)) return 0;
    const line = address >>> 6;
    let entry = lines.entries[lines.pages[line >>> 6]! + (line & 63)]!;
    if (entry === 0) entry = lines.ensure(line);
    const known = lines.words;
    const base = entry * entryWords;
    const slot = base + slotStart + ((address >>> 3) & 7) * slotWords;
    const size = (words[at]! >>> 8) & 0xff;
    const mask = size === 8 ? 0xff : ((1 << size) - 1) << (address & 7);
    let covered = mask;
    if (known[slot]! > known[base + field.persisted]!) {
      const meta = known[slot + slotField.meta]!;
      if ((meta & mask) !== 0 && overlapDiffers(known, slot, words, at, meta & mask))
        this.#overwrite(words, at, position, entry, meta, mask);
      covered |= meta & 0xff;
    }
    if (mask === 0xff) {
      known[slot + slotField.low] = words[at + 4]!;
      known[slot + slotField.high] = words[at + 5]!;
    } else placeValue(known, slot, words, at, mask);
    known[slot] = position;
    known[slot + slotField.site] = words[at + 1]!;
    known[slot + slotField.stack] = words[at + 3]!;
    known[slot + slotField.meta] = ((words[at]! >>> 16) << 16) | (mask << 8) | covered;
    if (known[base + field.last]! <= known[base + field.flushed]!) known[base + field.dirtySite] = words[at + 1]!;
    else if (known[base + field.dirtySite] !== words[at + 1]!) known[base + field.dirtySite] = severalSites;
    known[base + field.last] = position;
    if (state.transactions > 0 || flags !== 0) this.#storeWithTransactions(words, at, position, entry, state);
    return entry;
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
    return position !== seq + 1 || position <= words[base + field.persisted]!;
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
    const bound = words[base + field.last]!;
    const at = words[base + field.pendingAt]!;
    const same = words[base + field.flushThread] === state.id && at < state.count;
    if (same && state.pending[pendingWords * at] === entry) state.pending[pendingWords * at + 1] = bound;
    else {
      words[base + field.pendingAt] = state.push(entry, bound);
      words[base + field.references]!++;
    }
    words[base + field.flushed] = bound;
    words[base + field.means] = how;
    words[base + field.flushSite] = site;
    words[base + field.flushStack] = stack;
    words[base + field.flushThread] = state.id;
    words[base + field.flushPosition] = position;
  }

  /** The line's stores so far are persisted. */
  persist(entry: number): void {
    const { words } = this.lines;
    const base = entryAt(entry);
    words[base + field.flushed] = words[base + field.last]!;
    words[base + field.persisted] = words[base + field.last]!;
    if (words[base + field.references] === 0) this.lines.release(entry);
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
    const base = entryAt(entry);
    const last = lines.words[base + field.last]!;
    if (last > lines.words[base + field.flushed]!) {
      if (lines.words[base + field.dirtySite] === severalSites) this.#sharedFlush(words, at, position, entry);
    } else if (lines.words[base + field.persisted]! >= last) {
      this.#idleFlush(this.#look(words, at, position, entry), "clean", state);
      return;
    } else if (lines.words[base + field.flushThread] === state.id) {
      const how = lines.words[base + field.means]!;
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
    const flushed = known[base + field.flushed]!;
    if (this.signals.sharedFlush.length === 0) return;
    let site = 0;
    for (let slot = 0; slot < slotsPerLine; slot++) {
      const place = base + slotStart + slot * slotWords;
      if (known[place]! <= flushed) continue;
      const other = known[place + slotField.site]!;
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
      if (words[base + field.persisted]! < bound) words[base + field.persisted] = bound;
      const references = --words[base + field.references]!;
      if (references === 0 && words[base + field.persisted]! >= words[base + field.last]!) lines.release(entry);
    }
    state.clear();
  }
}
