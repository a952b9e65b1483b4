/**
 * Whether a crash state is one that the operational model allows: asked of every state that is laid out while a process
 * verifies its own work. It follows the trace by itself (model/pmem/replayed.ts) and sees of the tracker only the contents that
 * it gives to lines. Always: an illegal state is our mistake, never a finding.
 */
import { assert, type Line, verifiesOwnWork } from "../../base/index.ts";
import {
  contentsAt,
  type LineKey,
  lineBytes,
  lineKey,
  Mappings,
  type PmLines,
  placeOfLine,
  ReplayedTrace,
} from "../../model/pmem/index.ts";
import {
  decodeEvent,
  type EventSink,
  type TraceEvent,
  type TraceTables,
  writtenLength,
} from "../../trace/events/index.ts";
import {
  codeIn,
  codeOf,
  firstNote,
  inRecord,
  isFurtherPiece,
  recordWords,
  storedBytes,
  threadIn,
} from "../../trace/record/index.ts";
import type { ReadLine } from "./bases.ts";
import { TracePosition } from "./cursor.ts";
import type { CrashSource } from "./source.ts";
import type { CrashState, CutLine } from "./states.ts";

class Follower implements EventSink {
  readonly replayed = new ReplayedTrace();
  /** Lines that were stored to since somebody looked. */
  readonly touched = new Set<Line>();
  readonly #tables: TraceTables;
  readonly #readLine: ReadLine;
  readonly #mappings = new Mappings();
  readonly #readAt = new Map<number, number>();

  constructor(tables: TraceTables, readLine: ReadLine) {
    this.#tables = tables;
    this.#readLine = readLine;
  }

  events(words: Uint32Array, first: number): void {
    for (let at = 0; at < words.length; at += recordWords) {
      const code = codeIn(words[at]!);
      const seq = first + at / recordWords;
      if (code === codeOf.store || code === codeOf["non-temporal"]) this.#store(words, at, seq);
      else this.#take(decodeEvent(words, at / recordWords, seq, this.#tables.texts));
    }
  }

  end(): void {}

  #take(event: TraceEvent): void {
    // To an ordinary file no flush or fence does anything.
    if (!this.#tables.flushesPersist && codeOf[event.kind] < firstNote) return;
    switch (event.kind) {
      case "clflush":
      case "clflushopt":
      case "clwb": {
        const place = this.#mappings.at(event.address);
        if (place === undefined) return;
        return this.replayed.flush(event.kind, event.thread, lineAt(place.file, place.offset));
      }
      case "sfence":
      case "mfence":
      case "lfence":
      case "locked":
        return this.replayed.fence(event.kind, event.thread);
      case "msync":
        return this.#sync(event);
      case "written":
        return this.#write(event);
      case "fsync":
        return this.#syncFile(event);
      case "map":
        return event.persistent ? this.#map(event) : undefined;
      case "unmap":
        return this.#mappings.unmap(event.start, event.length);
    }
  }

  #store(words: Uint32Array, at: number, seq: number): void {
    const place = this.#mappings.at(words[at + inRecord.address]!);
    if (place === undefined) return;
    const line = lineAt(place.file, place.offset);
    if (!this.replayed.has(line)) this.replayed.begin(line, this.#read(line));
    const head = words[at]!;
    this.replayed.store(line, {
      nonTemporal: codeIn(head) === codeOf["non-temporal"] && this.#tables.flushesPersist,
      thread: threadIn(head),
      offset: place.offset % lineBytes,
      size: storedBytes(head),
      low: words[at + inRecord.low]!,
      high: words[at + inRecord.high]!,
      seq,
      further: isFurtherPiece(head),
    });
    this.touched.add(line);
  }

  /** As if each of the lines were flushed one after another. */
  #sync({ start, length, thread }: TraceEvent & { readonly start: number; readonly length: number }): void {
    for (const { file, from, to } of this.#mappings.within(start, length))
      for (const line of this.replayed.lines) {
        const place = placeOfLine(line);
        const at = place.index * lineBytes;
        if (place.file === file && at + lineBytes > from && at < to) this.replayed.flush("clflush", thread, line);
      }
  }

  #syncFile({ path, thread }: TraceEvent & { readonly kind: "fsync" }): void {
    const file = this.#mappings.numberOf(path);
    for (const line of this.replayed.lines)
      if (placeOfLine(line).file === file) this.replayed.flush("clflush", thread, line);
  }

  /** Byte by byte: a line that a call wrote to holds every store before, and the call's bytes over them. */
  #write(event: TraceEvent & { readonly kind: "written" }): void {
    const file = this.#mappings.numberOf(event.path);
    if (file === undefined) return;
    this.#readAt.set(file, event.seq + 1);
    const end = event.offset + writtenLength(event);
    for (const line of this.replayed.lines) {
      const place = placeOfLine(line);
      const start = place.index * lineBytes;
      if (place.file !== file || start + lineBytes <= event.offset || start >= end) continue;
      const now = this.replayed.full(line).slice();
      for (let at = Math.max(start, event.offset); at < Math.min(start + lineBytes, end); at++)
        now[at - start] = "bytes" in event ? event.bytes[at - event.offset]! : 0;
      this.replayed.begin(line, now);
      this.touched.add(line);
    }
  }

  /** A file that nothing showed may have been changed by calls, and those count as persisted. */
  #map(event: TraceEvent & { readonly kind: "map" }): void {
    const { file, fresh } = this.#mappings.map(event.path, event.start, event.length, event.offset);
    if (!fresh) return;
    this.#readAt.set(file, event.seq + 1);
    for (const line of this.replayed.lines) {
      if (placeOfLine(line).file !== file) continue;
      const now = this.#read(line);
      if (this.replayed.full(line).some((byte, at) => byte !== now[at])) this.replayed.begin(line, now);
      this.touched.add(line);
    }
  }

  #read(line: Line): Uint8Array {
    const { file, index } = placeOfLine(line);
    return this.#readLine(this.#mappings.path(file), index, this.#readAt.get(file) ?? 0);
  }
}

const lineAt = (file: number, offset: number): Line => lineKey(file, Math.floor(offset / lineBytes)) as Line;
const told = (line: LineKey): string => `line ${placeOfLine(line).index} of file ${placeOfLine(line).file}`;

type LaidState = Pick<CrashState, "background" | "named">;

class StateLaw {
  readonly #source: CrashSource;
  #position: TracePosition<Follower> | undefined;
  #checked: ({ readonly seq: number; readonly lines: PmLines } & Pick<LaidState, "background">) | undefined;

  constructor(source: CrashSource) {
    this.#source = source;
  }

  /** A crash before event `seq` leaves lines as the state says; a background that it shares is looked at once. */
  check(seq: number, lines: PmLines, { background, named }: LaidState): void {
    const follower = this.#before(seq);
    if (lines.isOrdered) return this.#checkOrder(seq, [...background, ...named], follower);
    const isHere = this.#checked?.seq === seq && this.#checked.lines === lines;
    if (!isHere) this.#checkLines(seq, lines, follower);
    if (!isHere || this.#checked?.background !== background) this.#checkCuts(seq, background, follower);
    this.#checkCuts(seq, named, follower);
    this.#checked = { seq, lines, background };
  }

  /** strict: what is laid is one cut through the stores of all lines. */
  #checkOrder(seq: number, cuts: readonly CutLine[], { replayed }: Follower): void {
    const contents = new Map(cuts.map(({ line, cut }) => [line.key as Line, contentsAt(line, cut)]));
    assert(replayed.mayHoldInOrder(contents), `a crash before event ${seq} leaves stores in their order (strict)`);
  }

  #checkCuts(seq: number, cuts: readonly CutLine[], follower: Follower): void {
    for (const { line, cut } of cuts)
      assert(
        follower.replayed.mayHold(line.key as Line, contentsAt(line, cut)),
        `PM-24: a crash before event ${seq} leaves ${told(line.key)} so`,
      );
  }

  /** Lines that were stored to hold every store, and what a crash may lose of any line is what the model says. */
  #checkLines(seq: number, lines: PmLines, { replayed, touched }: Follower): void {
    for (const line of touched) {
      const kept = lines.contents(line);
      const full = replayed.full(line);
      assert(kept?.every((byte, at) => byte === full[at]) === true, `PM-5: ${told(line)} has all before event ${seq}`);
    }
    touched.clear();
    if (this.#source.platform === "eadr")
      return assert(lines.open.length === 0, `PM-32: a crash before event ${seq} loses nothing where caches survive`);
    let open = 0;
    for (const line of replayed.open()) {
      const { from, to } = replayed.window(line);
      const pending = lines.get(line)?.pending.length;
      assert(
        pending === to - from,
        `PM-29: a crash before event ${seq} loses ${to - from} stores of ${told(line)} at most`,
      );
      open++;
    }
    assert(
      open === lines.open.length,
      `PM-17: a line is sure to survive before event ${seq} only if the model says so`,
    );
  }

  #before(seq: number): Follower {
    if (this.#position === undefined || seq < this.#position.next) {
      const { trace, bases } = this.#source;
      this.#position = new TracePosition(trace, new Follower(trace.tables, bases.replaying()));
    }
    this.#position.advance(seq);
    return this.#position.sink;
  }
}

const laws = new WeakMap<CrashSource, StateLaw>();

/** Does nothing unless this process verifies its own work. Asked in the order of the trace, it follows it once. */
export function checkLegal(source: CrashSource, seq: number, lines: PmLines, state: LaidState): void {
  if (!verifiesOwnWork()) return;
  const law = laws.get(source) ?? new StateLaw(source);
  laws.set(source, law);
  law.check(seq, lines, state);
}
