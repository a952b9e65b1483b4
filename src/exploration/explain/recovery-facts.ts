/** What the recovery that shows a finding read of persistent memory, and which of it was fatal. */

import type { CrashFacts, HistoryLine, ReadFacts } from "../../crash/finding/index.ts";
import {
  baseReader,
  type CrashSource,
  crashedAt,
  crashOf,
  judgedIn,
  type Layout,
  type Moment,
  outcomeOptions,
  type RecoveryEnd,
  RecoveryOracle,
  TraceCursor,
} from "../../crash/states/index.ts";
import { pathFromText, textFromPath } from "../../machine/index.ts";
import { fullContents, lineBytes } from "../../model/pmem/index.ts";
import { type FirstRead, RecoveryReads } from "../../session/subject/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { withoutDoubles } from "./concerned-lines.ts";
import { fatalReads, lineName, type OtherLines } from "./fatal-reads.ts";
import type { NamesOf } from "./set-up-names.ts";
import type { StoresSeen } from "./stores-seen.ts";

/** Reads that are told; where there are more, those of lines that a crash could leave in several ways. */
const mostReads = 200;

/** What was read, before it is known which stores it came from. */
export interface FoundReads {
  readonly reads: readonly FirstRead[];
  readonly others: number;
  readonly fatal: ReadonlySet<FirstRead>;
  bytesOf(read: FirstRead): Uint8Array;
}

export const lineOfRead = ({ path, offset }: FirstRead): HistoryLine => ({
  path: textFromPath(path),
  index: Math.floor(offset / lineBytes),
});

export class RecoveryFacts {
  readonly #scene: LeadScene;
  readonly #source: CrashSource;
  readonly #reads: RecoveryReads;
  readonly #oracle: RecoveryOracle;
  /** Stands before what turned good states into bad ones. */
  readonly #turning: TraceCursor;

  constructor(scene: LeadScene, source: CrashSource) {
    this.#scene = scene;
    this.#source = source;
    const options = outcomeOptions(scene.judging);
    this.#reads = new RecoveryReads(scene.subject, scene.judging.hangLimit);
    this.#oracle = new RecoveryOracle(source, options, judgedIn(scene), () => scene.subject.recovery().recovery);
    this.#turning = new TraceCursor(source);
  }

  /** `moment` is that of the crash. Undefined where it was not this recovery that failed, or not after this crash. */
  of(crash: CrashFacts, moment: Moment): FoundReads | undefined {
    const { choices } = crash.witness;
    if (crash.command !== undefined || choices.some(({ kind }) => kind === "again")) return undefined;
    const step = crashOf(choices);
    const { before } = step;
    const crashed = crashedAt(this.#source, moment, step);
    if (crashed === undefined) return undefined;
    const layout = { ...crashed.layout, lines: [...crashed.layout.lines] };
    const bytesOf = this.#bytesIn(layout, before);
    const all = this.#reads.of(layout, new Set(moment.mappings.paths.map(pathFromText)));
    const otherLines = this.#otherLines(crash, moment);
    const fatal = this.#fatal(layout, all, bytesOf, otherLines, before);
    const open = new Set(moment.lines.open.map(({ file, index }) => lineName(moment.mappings.path(file), index)));
    const isOpen = (read: FirstRead) => open.has(lineName(lineOfRead(read).path, lineOfRead(read).index));
    const shown =
      all.length <= mostReads ? all : all.filter((read) => isOpen(read) || fatal.has(read)).slice(0, mostReads);
    return { reads: shown, others: all.length - shown.length, fatal, bytesOf };
  }

  /** Lines as they might have been: with what was lost, or without what turned a good state into a bad one. */
  #otherLines({ lost, turning }: CrashFacts, moment: Moment): OtherLines {
    const others = new Map<string, Uint8Array>();
    const lostLines = new Set(lost.map(({ path, mark }) => lineName(path, Math.floor(mark.address! / lineBytes))));
    const add = (at: Moment, isWanted: (name: string) => boolean) => {
      for (const line of at.lines.tracked) {
        const path = at.mappings.path(line.file);
        if (isWanted(lineName(path, line.index)))
          others.set(lineName(pathFromText(path), line.index), fullContents(line));
      }
    };
    if (turning?.mark.address === undefined) add(moment, (name) => lostLines.has(name));
    else {
      const before = this.#turning.before(turning.mark.seq);
      const place = before.mappings.at(turning.mark.address);
      const turned = place && lineName(before.mappings.path(place.file), Math.floor(place.offset / lineBytes));
      add(before, (name) => name === turned);
    }
    return others;
  }

  #fatal(
    layout: Layout,
    reads: readonly FirstRead[],
    bytesOf: FoundReads["bytesOf"],
    others: OtherLines,
    seq: number,
  ): ReadonlySet<FirstRead> {
    const differing = reads.filter((read) => {
      const other = others.get(lineName(read.path, Math.floor(read.offset / lineBytes)));
      const from = read.offset % lineBytes;
      return other !== undefined && bytesOf(read).some((byte, at) => byte !== other[from + at]);
    });
    const { expectExit } = this.#scene.judging;
    const trial = {
      layout,
      expectExit,
      fails: (ended: RecoveryEnd) => this.#oracle.failureOf(seq, ended, () => ended) !== undefined,
    };
    return differing.length === 0 ? new Set() : fatalReads(this.#reads, trial, differing, others);
  }

  /** What a read saw: of a line that was stored to, what the crash left; of others, what the file had. */
  #bytesIn({ lines }: Layout, seq: number): FoundReads["bytesOf"] {
    const laid = new Map([...lines].map(({ path, index, bytes }) => [lineName(path, index), bytes]));
    const readBase = baseReader(this.#scene.run.history);
    return (read) => {
      const { path, index } = lineOfRead(read);
      const line = laid.get(lineName(read.path, index)) ?? readBase(path, index, seq);
      const from = read.offset % lineBytes;
      return line.slice(from, from + read.size);
    };
  }

  /** The same with their places, and with the stores they come from. `before`: what they were called before this run. */
  told({ reads, others, fatal, bytesOf }: FoundReads, seen: StoresSeen, before: NamesOf): ReadFacts {
    const told = reads.map((read) => {
      const bytes = [lineOfRead(read), read.offset % lineBytes, read.size] as const;
      const { names, number, ...stores } = seen.of(...bytes);
      const called = names.length > 0 ? { names, number } : before(...bytes);
      return {
        ...this.#reads.placed(read.mark),
        path: lineOfRead(read).path,
        offset: read.offset,
        bytes: bytesOf(read),
        ...stores,
        names: called.names,
        ...(called.number && { number: called.number }),
        ...(fatal.has(read) && { fatal: true as const }),
      };
    });
    return { reads: told, others };
  }
}

/** Lines of reads that no store of this run has a name for. */
export const namelessLines = ({ reads }: FoundReads, seen: StoresSeen): readonly HistoryLine[] =>
  reads
    .filter((read) => seen.of(lineOfRead(read), read.offset % lineBytes, read.size).names.length === 0)
    .map(lineOfRead);

export const linesRead = ({ reads }: FoundReads): readonly HistoryLine[] => withoutDoubles(reads.map(lineOfRead));
