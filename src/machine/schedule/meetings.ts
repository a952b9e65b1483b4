/**
 * What threads read of each other, in memory of any kind: program order and reads-from, closed, as far as stores to persistent memory
 * are concerned (PSan, section 3.4). Always:
 * - A thread's steps are its stores to persistent memory and its fences, numbered as it issues them, from 1 on; each record of a
 *   trace counts as one.
 * - Who has read a store has seen all that its thread had done and seen when it issued the store, buffered or not.
 * - Who wrote a byte is known only from records. Where pages come and go, or a file's are mapped twice, nobody did: what
 *   threads know of each other may be missed and is never made up.
 */

import { codeOf } from "../../trace/record/index.ts";
import { pageBits, pageSize } from "../runtime/index.ts";

/** How far a thread is: twice its steps, and one more if it did anything since that another thread can notice. */
export type ThreadProgress = number;
const stepCodes: ReadonlySet<number> = new Set(
  (["store", "non-temporal", "sfence", "mfence", "locked"] as const).map((kind) => codeOf[kind]),
);
export const isStep = (code: number): boolean => stepCodes.has(code);
export const stepsIn = (progress: ThreadProgress): number => progress >>> 1;

/** What a thread has seen of the others. It never changes. */
type Seen = ReadonlyMap<number, ThreadProgress>;

interface Standing {
  readonly thread: number;
  readonly progress: ThreadProgress;
  readonly seen: Seen;
}

/** From its step of this number on, a thread has seen so much of the others. */
export interface ThreadView {
  readonly from: number;
  readonly seen: Seen;
}

/** The first time that a thread loaded what another's store to persistent memory left. */
export interface ReadOfStore {
  readonly thread: number;
  /** It had made so many steps. */
  readonly after: number;
  readonly site: number;
  readonly stack: number;
  readonly of: number;
  /** The number of that store; of one that is several records, of the last. */
  readonly store: number;
}

/** All that was seen of threads. A thread that is nowhere named has done nothing. */
export interface ThreadOrder {
  /** Events before this one were made by one thread alone. Steps are numbered from here on. */
  readonly from: number;
  readonly views: ReadonlyMap<number, readonly ThreadView[]>;
  /** By thread: the numbers of its steps as they became visible. */
  readonly visible: ReadonlyMap<number, readonly number[]>;
  readonly reads: readonly ReadOfStore[];
}

/** A store as it was issued: who reads it has seen this. */
export type StandingId = number;
const nobody: StandingId = 0;

class ThreadState {
  steps = 0;
  seen: Seen = new Map();
  readonly views: ThreadView[] = [];
  readonly visible: number[] = [];
  /** The newest standing of a store to memory that is not persistent, while nothing has changed since. */
  other: StandingId = nobody;
}

export interface LoadPlace {
  readonly address: number;
  readonly size: number;
  readonly site: number;
  readonly stack: number;
}

export class Meetings {
  readonly #threads = new Map<number, ThreadState>();
  readonly #standings: (Standing | undefined)[] = [undefined];
  /** By page: of each byte, who stored it. */
  readonly #writers = new Map<number, Uint32Array>();
  readonly #reads: ReadOfStore[] = [];
  readonly #known = new Set<string>();
  readonly #isSharedPage: (page: number) => boolean;
  #from: number | undefined;

  constructor(isSharedPage: (page: number) => boolean) {
    this.#isSharedPage = isSharedPage;
  }

  /** Undefined where one thread was alone all the time. */
  get order(): ThreadOrder | undefined {
    if (this.#from === undefined) return undefined;
    const all = [...this.#threads];
    return {
      from: this.#from,
      views: new Map(all.map(([thread, { views }]) => [thread, views])),
      visible: new Map(all.map(([thread, { visible }]) => [thread, visible])),
      reads: this.#reads,
    };
  }

  /** Several threads are alive from this event on. */
  begin(event: number): void {
    this.#from = event;
  }

  #state(thread: number): ThreadState {
    const state = this.#threads.get(thread) ?? new ThreadState();
    this.#threads.set(thread, state);
    return state;
  }

  // ── Steps ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** A thread issues a store or a fence; `records` of it go to the trace, none for a store to memory that is not persistent. */
  issue(thread: number, records: number): StandingId {
    const state = this.#state(thread);
    if (records === 0) return this.#now(thread, state);
    state.steps += records;
    state.other = nobody;
    return this.#standing({ thread, progress: 2 * state.steps, seen: state.seen });
  }

  #now(thread: number, state: ThreadState): StandingId {
    if (state.other === nobody)
      state.other = this.#standing({ thread, progress: 2 * state.steps + 1, seen: state.seen });
    return state.other;
  }

  #standing(standing: Standing): StandingId {
    return this.#standings.push(standing) - 1;
  }

  /** It becomes visible, a fence with no bytes. */
  show(address: number, length: number, id: StandingId, records: number): void {
    const { thread, progress } = this.#standings[id]!;
    const { visible } = this.#state(thread);
    for (let left = records; left > 0; left--) visible.push(stepsIn(progress) - left + 1);
    this.#write(address, length, id);
  }

  /** The kernel stores for a thread to memory that is not persistent. */
  kernelStored(thread: number, address: number, length: number): void {
    this.#write(address, length, this.#now(thread, this.#state(thread)));
  }

  #write(address: number, length: number, id: StandingId): void {
    for (let at = address; at < address + length; ) {
      const page = at >>> pageBits;
      const end = Math.min(address + length, (page + 1) * pageSize);
      if (!this.#isSharedPage(page)) {
        const writers = this.#writers.get(page) ?? new Uint32Array(pageSize);
        this.#writers.set(page, writers);
        writers.fill(id, at % pageSize, ((end - 1) % pageSize) + 1);
      }
      at = end;
    }
  }

  /** The page's contents are gone. */
  forget(page: number): void {
    this.#writers.delete(page);
  }

  // ── Loads ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** `isOwn`: whether the byte comes from the thread's own buffer. */
  load(thread: number, place: LoadPlace, isOwn: (address: number) => boolean): void {
    let writers = this.#writers.get(place.address >>> pageBits);
    let last = nobody;
    for (let at = place.address; at < place.address + place.size; at++) {
      if (at % pageSize === 0) writers = this.#writers.get(at >>> pageBits);
      const id = writers?.[at % pageSize] ?? nobody;
      if (id === last || id === nobody) continue;
      const standing = this.#standings[id]!;
      if (standing.thread === thread || isOwn(at)) continue;
      last = id;
      this.#see(thread, standing);
      if (standing.progress % 2 === 0) this.#noteRead(thread, standing, place);
    }
  }

  #noteRead(thread: number, { thread: of, progress }: Standing, { site, stack }: LoadPlace): void {
    const store = stepsIn(progress);
    const key = `${thread} ${of} ${store}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#reads.push({ thread, after: this.#state(thread).steps, site, stack, of, store });
  }

  /** A thread knows of another's doing by other means than memory: it was started or woken by it. */
  follow(thread: number, other: number): void {
    this.#see(thread, this.#standings[this.#now(other, this.#state(other))]!);
  }

  #see(thread: number, { thread: other, progress, seen }: Standing): void {
    const state = this.#state(thread);
    const isNew = ([of, until]: readonly [number, ThreadProgress]) =>
      of !== thread && until > (state.seen.get(of) ?? 0);
    const news = [...seen, [other, progress] as const].filter(isNew);
    if (news.length === 0) return;
    const now = new Map(state.seen);
    for (const [of, until] of news) now.set(of, Math.max(until, now.get(of) ?? 0));
    state.seen = now;
    state.other = nobody;
    const view = { from: state.steps + 1, seen: now };
    if (state.views.at(-1)?.from === view.from) state.views.pop();
    state.views.push(view);
  }
}
