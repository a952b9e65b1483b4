/** One walk over a trace for all who want to know what happens to some lines of persistent memory. */
import { type CrashSource, CrashWalk, type Moment } from "../../crash/states/index.ts";
import { type LineKey, lineBytes, lineKey, Mappings } from "../../model/pmem/index.ts";
import { codeIn, codeOf, firstNote, inRecord, recordWords, threadIn } from "../../trace/record/index.ts";

/** An event as it lies in a trace: words from a position on, and its number. */
export interface RawEvent {
  readonly words: Uint32Array;
  readonly at: number;
  readonly seq: number;
}

export interface LineListener {
  /** The power is cut before this event, if it is. */
  readonly cut: number | undefined;
  /** Nothing more is wanted. */
  readonly isDone: boolean;
  /** The numbers of its lines, as far as their files are known; `paths` are those of files by number. */
  locate(paths: readonly string[]): readonly LineKey[];
  /** Whether the thread's next fence is of interest. */
  awaitsFence(thread: number): boolean;
  /** A store or a flush of one of the lines, or a fence that is awaited, has happened. */
  take(event: RawEvent, moment: Moment): void;
  /** msync was called. */
  sync(event: RawEvent, moment: Moment): void;
  reachCut(): void;
  /** With where files were mapped, also those that no longer are. */
  end(mappings: Mappings): void;
}

const { store, "non-temporal": nonTemporal, clwb, sfence, mfence, locked, msync } = codeOf;
const isStore = (code: number): boolean => code === store || code === nonTemporal;
const isFence = (code: number): boolean => code === sfence || code === mfence || code === locked;

class ListenedWalk {
  readonly #walk: CrashWalk;
  readonly #listeners: readonly LineListener[];
  /** By line: who wants to know of it. */
  #byLine = new Map<LineKey, LineListener[]>();
  readonly #mappings: Mappings;
  readonly #everMapped = new Mappings();
  /** Cuts that are still to come, nearest first. */
  readonly #cuts: LineListener[];

  constructor({ trace, bases, platform = "px86" }: CrashSource, listeners: readonly LineListener[]) {
    const options = { granularity: "flush", allPoints: false, platform, readBase: bases.replaying() } as const;
    this.#walk = new CrashWalk(trace.tables, options);
    this.#mappings = this.#walk.moment.mappings;
    this.#listeners = listeners;
    this.#cuts = listeners.filter(({ cut }) => cut !== undefined).sort((a, b) => a.cut! - b.cut!);
  }

  get isDone(): boolean {
    return this.#listeners.every(({ isDone }) => isDone);
  }

  /** `first` is the number of the first event. */
  events(words: Uint32Array, first: number): void {
    let shown = 0;
    const show = (to: number) => {
      if (shown < to) this.#walk.events(words.subarray(shown, to), first + shown / recordWords);
      shown = to;
    };
    for (let at = 0, seq = first; at < words.length; at += recordWords, seq++) {
      if (this.#cuts[0]?.cut === seq) {
        show(at);
        this.cutAt(seq);
      }
      const code = codeIn(words[at]!);
      const concerned = code >= firstNote ? this.#listeners : this.#concernedBy(words, at, code);
      if (concerned.length === 0) continue;
      show(at + recordWords);
      if (code >= firstNote) this.#note(code, words, at, seq);
      else for (const listener of concerned) listener.take({ words, at, seq }, this.#walk.moment);
    }
    show(words.length);
  }

  /** The power is cut before this event for some. */
  cutAt(seq: number): void {
    while (this.#cuts[0]?.cut === seq) this.#cuts.shift()!.reachCut();
  }

  end(): void {
    for (const listener of this.#listeners) listener.end(this.#everMapped);
  }

  #concernedBy(words: Uint32Array, at: number, code: number): readonly LineListener[] {
    if (isFence(code)) {
      const thread = threadIn(words[at]!);
      return this.#listeners.filter((listener) => listener.awaitsFence(thread));
    }
    if (code > clwb && !isStore(code)) return [];
    const place = this.#mappings.at(words[at + inRecord.address]!);
    const key = place && lineKey(place.file, Math.floor(place.offset / lineBytes));
    return (key === undefined ? undefined : this.#byLine.get(key))?.filter(({ isDone }) => !isDone) ?? [];
  }

  /** Files are known by number once they are mapped. */
  #note(code: number, words: Uint32Array, at: number, seq: number): void {
    const { moment } = this.#walk;
    if (code === msync) for (const listener of this.#listeners) listener.sync({ words, at, seq }, moment);
    if (code !== codeOf.map) return;
    for (const { path, start, end, offset } of this.#mappings.shown())
      this.#everMapped.map(path, start, end - start, offset);
    this.#byLine = new Map();
    for (const listener of this.#listeners)
      for (const key of listener.locate(this.#mappings.paths))
        this.#byLine.set(key, [...(this.#byLine.get(key) ?? []), listener]);
  }
}

export function walkFor(source: CrashSource, listeners: readonly LineListener[]): void {
  const walk = new ListenedWalk(source, listeners);
  let first = 0;
  for (const words of source.trace.batches()) {
    walk.events(words, first);
    first += words.length / recordWords;
    if (walk.isDone) break;
  }
  walk.cutAt(source.trace.count);
  walk.end();
}
