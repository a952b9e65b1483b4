/**
 * The history of one finding's lines, event by event, as somebody walks along the trace. Always:
 * - A line's stores and flushes are told, and of fences the first that a thread makes after one of them: what a fence does
 *   to these lines, or fails to do, shows there.
 * - Of many events the newest before the power cut are told, and the stores that the finding itself is about.
 */
import { assert } from "../../base/index.ts";
import type {
  HistoryEvent,
  HistoryFence,
  HistoryFlush,
  HistoryLine,
  HistoryStore,
  LineHistory,
} from "../../crash/finding/index.ts";
import type { Moment } from "../../crash/states/index.ts";
import { type LineKey, lineBytes, lineKey, type Mappings } from "../../model/pmem/index.ts";
import { codeIn, codeOf, inRecord, kindOf, storedBytes, threadIn } from "../../trace/record/index.ts";
import type { LineListener, RawEvent } from "./line-walk.ts";
import type { StoreFacts } from "./store-facts.ts";

export interface WantedLines {
  readonly lines: readonly HistoryLine[];
  /** The power is cut before this event, if it is. */
  readonly cut?: number;
  /** The last event that matters, where nothing is cut. */
  readonly until: number;
  /** Stores that the crash loses. */
  readonly lost: ReadonlySet<number>;
  /** Events that are told however long ago they were. */
  readonly told: ReadonlySet<number>;
}

/** Events told from before the cut, and after it: what did not happen any more, so that one sees what was to come. */
const mostBefore = 400;
const mostAfter = 20;

/** A mark without its frames: they are looked up for what is told in the end. */
type Unplaced =
  | Omit<HistoryStore, "frames">
  | Omit<HistoryFlush, "frames">
  | Omit<HistoryFence, "frames">
  | Extract<HistoryEvent, { kind: "durable" }>;

interface Lane {
  key: LineKey | undefined;
  /** How many of the line's stores are sure to survive, and the events of those that are not. */
  durable: number;
  readonly pending: number[];
}

const seqOf = (event: Unplaced): number => (event.kind === "durable" ? event.seq : event.mark.seq);

const lineOf = (file: number, offset: number): LineKey => lineKey(file, Math.floor(offset / lineBytes));

const markOf = ({ words, at, seq }: RawEvent) => ({
  seq,
  thread: threadIn(words[at]!),
  site: words[at + inRecord.site]!,
  stack: words[at + inRecord.stack]!,
});

export class LineRecording implements LineListener {
  readonly #wanted: WantedLines;
  readonly #facts: StoreFacts;
  readonly #lanes: readonly Lane[];
  #events: Unplaced[] = [];
  #omitted = 0;
  /** Events after the cut, or after the last that matters. */
  #after = 0;
  /** Threads that did something to these lines since their last fence. */
  readonly #unfenced = new Set<number>();
  isDone = false;
  #history: LineHistory | undefined;

  constructor(wanted: WantedLines, facts: StoreFacts) {
    this.#wanted = wanted;
    this.#facts = facts;
    this.#lanes = wanted.lines.map(() => ({ key: undefined, durable: 0, pending: [] }));
  }

  get cut(): number | undefined {
    return this.#wanted.cut;
  }
  get history(): LineHistory {
    assert(this.#history !== undefined, "a recording is asked for when it has ended");
    return this.#history;
  }

  locate(paths: readonly string[]): readonly LineKey[] {
    for (const [lane, { path, index }] of this.#wanted.lines.entries()) {
      const file = paths.indexOf(path);
      if (file >= 0) this.#lanes[lane]!.key = lineKey(file, index);
    }
    return this.#lanes.flatMap(({ key }) => key ?? []);
  }

  awaitsFence(thread: number): boolean {
    return !this.isDone && this.#unfenced.has(thread);
  }

  take(event: RawEvent, moment: Moment): void {
    const { words, at, seq } = event;
    const head = words[at + inRecord.head]!;
    const [code, thread] = [codeIn(head), threadIn(head)];
    const mark = markOf(event);
    const place = moment.mappings.at(words[at + inRecord.address]!);
    const key = place && lineOf(place.file, place.offset);
    const line = this.#lanes.findIndex((lane) => lane.key === key);
    if (code === codeOf.sfence || code === codeOf.mfence || code === codeOf.locked) {
      this.#unfenced.delete(thread);
      this.#add({ kind: "fence", op: kindOf(code) as HistoryFence["op"], mark }, moment);
    } else if (code <= codeOf.clwb) {
      this.#unfenced.add(thread);
      this.#add({ kind: "flush", op: kindOf(code) as HistoryFlush["op"], line, mark }, moment);
    } else {
      this.#unfenced.add(thread);
      this.#lanes[line]!.pending.push(seq);
      const [low, high] = [BigInt(words[at + inRecord.low]!), BigInt(words[at + inRecord.high]!)];
      const offset = place!.offset % lineBytes;
      const stored = { offset, size: storedBytes(head), value: (high << 32n) | low };
      this.#add({ kind: "store", line, mark, ...stored, nonTemporal: code === codeOf["non-temporal"] }, moment);
    }
  }

  sync(event: RawEvent, moment: Moment): void {
    if (this.isDone) return;
    const { words, at } = event;
    const mark = markOf(event);
    const [start, length] = [words[at + inRecord.address]!, words[at + inRecord.low]!];
    for (const { file, from, to } of moment.mappings.within(start, length))
      for (const [line, { key }] of this.#lanes.entries())
        if (key !== undefined && key >= lineOf(file, from) && key <= lineOf(file, to - 1))
          this.#add({ kind: "flush", op: "msync", line, mark }, moment);
  }

  #add(event: Unplaced, moment: Moment): void {
    this.#events.push(event);
    if (seqOf(event) >= (this.#wanted.cut ?? this.#wanted.until + 1)) this.#after++;
    this.#raise(seqOf(event), moment);
    if (this.#after >= mostAfter) this.isDone = true;
    else if (this.#events.length > 4 * mostBefore) this.#forget();
  }

  /** What is sure to survive by now. */
  #raise(seq: number, { lines }: Moment): void {
    for (const [line, lane] of this.#lanes.entries()) {
      const durable = (lane.key === undefined ? undefined : lines.get(lane.key)?.durable) ?? lane.durable;
      if (durable === lane.durable) continue;
      const through = lane.pending.splice(0, durable - lane.durable).at(-1);
      lane.durable = durable;
      if (through !== undefined) this.#events.push({ kind: "durable", seq, line, through });
    }
  }

  /** Older events give way, but for those that the finding is about. */
  #forget(): void {
    const { told } = this.#wanted;
    const recent = this.#events.length - mostBefore - this.#after;
    const kept = this.#events.filter((event, at) => at >= recent || told.has(seqOf(event)));
    this.#omitted += this.#events.length - kept.length;
    this.#events = kept;
  }

  /** The power is cut now: what becomes of each store. */
  reachCut(): void {
    const open = new Set(this.#lanes.flatMap(({ pending }) => pending));
    const { lost } = this.#wanted;
    this.#events = this.#events.map((event) => {
      if (event.kind !== "store") return event;
      const { seq } = event.mark;
      return { ...event, fate: lost.has(seq) ? "lost" : open.has(seq) ? "kept" : "durable" };
    });
  }

  end(mappings: Mappings): void {
    if (this.#events.length > mostBefore + this.#after) this.#forget();
    const { lines, cut } = this.#wanted;
    const events = this.#events.map((event) => this.#placed(event, mappings));
    this.#history = { lines, events, ...(cut !== undefined && { cut }), omitted: this.#omitted };
  }

  #placed(event: Unplaced, mappings: Mappings): HistoryEvent {
    if (event.kind === "durable") return event;
    const named = event.kind === "store" ? this.#facts.namedAt(event.mark.seq, mappings) : {};
    return { ...event, ...this.#facts.placed(event.mark), ...named };
  }
}
