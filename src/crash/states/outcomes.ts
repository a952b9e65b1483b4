/**
 * How recovery ends at the crash states of one failure point after another. Always:
 * - An outcome is that of running recovery on the crash state from its first instruction; the memo, and a machine that has
 *   started up already, only spare work.
 * - Going from point to point costs what changed in between; a crash state costs the lines it loses and what its run does.
 */

import { baseName } from "../../base/index.ts";
import {
  type FileContents,
  type FileVersion,
  type LineContents,
  pathFromText,
  poolFileIn,
} from "../../machine/index.ts";
import {
  contentsAt,
  fullContents,
  type LineCut,
  type LineKey,
  type PmLines,
  placeOfLine,
  type TrackedLine,
} from "../../model/pmem/index.ts";
import { type FileVersions, versionOf } from "./files.ts";
import { checkLegal } from "./legal-states.ts";
import type { LineReader } from "./line-reader.ts";
import { type Question, RecoveryMemo } from "./memo.ts";
import { operationAfter } from "./operations.ts";
import type { FailurePoint } from "./points.ts";
import { AskedQuestions, Questions } from "./questions.ts";
import type { RecoveryEnd, RecoveryMachine } from "./recovery-machine.ts";
import { type CrashSource, poolsOf } from "./source.ts";
import { type RecoveryUses, StartedRecovery } from "./started-recovery.ts";
import { CrashState, type CutLine, nothingLost } from "./states.ts";
import type { Moment } from "./walk.ts";
import type { Judging } from "./witness.ts";

export interface OutcomeOptions {
  /** Off: every crash state runs. */
  readonly memo: boolean;
  readonly maxInstructions: number;
  /** Of a recovery that went well: what follows runs only then. */
  readonly expectExit: number;
}

/** As a scene judges. */
export const outcomeOptions = ({ expectExit, hangLimit }: Judging, memo = true): OutcomeOptions => ({
  memo,
  expectExit,
  maxInstructions: hangLimit,
});

export interface OutcomeAsked {
  /** Tried to find out what a failure is due to: neither counted nor reported, and not held to be legal. */
  readonly hypothetical?: true;
  /** The number of the operation that follows, where it is not the one after the one under way. */
  readonly operation?: number;
}

/** A line that does not keep every store, and what is left of it: few of many are ever asked about. */
class LostLine {
  readonly line: TrackedLine;
  readonly #cut: LineCut;
  #bytes: Uint8Array | undefined;

  constructor({ line, cut }: CutLine) {
    this.line = line;
    this.#cut = cut;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= contentsAt(this.line, this.#cut);
    return this.#bytes;
  }
}

/** What lines hold that a state does not name. */
class Background {
  readonly cuts: readonly CutLine[];
  readonly lost: ReadonlyMap<LineKey, LostLine>;

  constructor(cuts: readonly CutLine[]) {
    this.cuts = cuts;
    this.lost = new Map(cuts.map((cut) => [cut.line.key, new LostLine(cut)]));
  }
}

/** Where the walk through the trace is. */
interface Surroundings {
  readonly lines: PmLines;
  readonly version: number;
  readonly files: FileVersion;
}

export class RecoveryOutcomes {
  readonly #started: StartedRecovery;
  readonly #source: CrashSource;
  readonly #history: FileVersions;
  readonly #options: OutcomeOptions;
  readonly #acknowledgedName: string;
  /**
   * Persistent files of the whole trace by number, as the machine names them. Their words are asked for at every point, also
   * before the run maps them: else equal answers would stand for different questions.
   */
  readonly #paths: readonly string[];
  readonly #persistent: ReadonlySet<string>;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #memo = new RecoveryMemo<RecoveryEnd>();
  readonly #questions = new Questions();
  readonly #asked = new AskedQuestions();
  /** How the run ended that present answers are held against. */
  #comparedEnd: RecoveryEnd | undefined;
  readonly #entryLists = new Map<string, number>();
  readonly #reader: LineReader;
  /** Persistent files as the host has them. */
  readonly #unchanged = new Map<string, FileContents | undefined>();
  #here: Surroundings | undefined;
  /** The version the standing machine was prepared for, and lines that changed since. */
  #standsAt: { readonly lines: PmLines; readonly version: number } | undefined;
  #changed = new Map<LineKey, TrackedLine>();
  #background = new Background(nothingLost);
  /** Recoveries run for outcomes that the memo did not have. */
  runs = 0;

  constructor(recovery: RecoveryMachine, source: CrashSource, options: OutcomeOptions) {
    this.#started = new StartedRecovery(recovery, options.maxInstructions);
    this.#reader = this.#started.reader();
    this.#acknowledgedName = baseName(recovery.options.acknowledgedPath);
    this.#source = source;
    this.#history = source.versions;
    this.#options = options;
    this.#paths = poolsOf(source).map(pathFromText);
    this.#persistent = new Set(this.#paths);
    this.#numbers = new Map(this.#paths.map((path, file) => [path, file]));
  }

  /** These lines keep what their cuts say, all others every store. */
  outcome(point: FailurePoint, moment: Moment, cuts: readonly CutLine[], how: OutcomeAsked = {}): RecoveryEnd {
    return this.#outcome(point, moment, new CrashState("prefix", nothingLost, cuts), how);
  }

  /** Asked of states one after another that have a background in common, costs what each names. */
  stateOutcome(point: FailurePoint, moment: Moment, state: CrashState): RecoveryEnd {
    return this.#outcome(point, moment, state, {});
  }

  /**
   * Whether recovery looks at none of these lines, asked right after it was told how it ends with every store: then it ends
   * that way whatever they hold.
   */
  looksAtNoneOf(lines: readonly TrackedLine[]): boolean {
    if (this.#comparedEnd === undefined || this.#questions.differing > 0) return false;
    return !lines.some(({ key }) => this.#questions.wasAskedOf(key));
  }

  #outcome(point: FailurePoint, moment: Moment, state: CrashState, how: OutcomeAsked): RecoveryEnd {
    const operation = how.operation ?? operationAfter(this.#source.operations, point.seq);
    if (!how.hypothetical) checkLegal(this.#source, point.seq, moment.lines, state);
    this.#leaveBackground(state.background);
    const here = this.#arrive(point, moment);
    this.#enterBackground(state.background);
    const named = state.named.map((cut) => new LostLine(cut));
    this.#answerLost(named);
    this.#questions.other("acknowledged", moment.acknowledged.length);
    this.#questions.other("operation", operation);
    const ended = this.#known(state) ?? this.#run(here, moment, named, operation);
    for (const { line } of named) this.#questions.lineIs(line.key, () => this.#unnamed(line));
    return ended;
  }

  /** A line of which the state says nothing of its own. */
  #unnamed(line: TrackedLine): Uint8Array {
    return this.#background.lost.get(line.key)?.bytes ?? fullContents(line);
  }

  #answerLost(lines: Iterable<LostLine>): void {
    for (const each of lines) this.#questions.lineIs(each.line.key, () => each.bytes);
  }

  /** Before lines are brought up to date, which they may not be those of any more. */
  #leaveBackground(next: readonly CutLine[]): void {
    const { cuts, lost } = this.#background;
    if (cuts === next) return;
    this.#background = new Background(nothingLost);
    for (const { line } of lost.values()) this.#questions.lineIs(line.key, () => fullContents(line));
  }

  #enterBackground(next: readonly CutLine[]): void {
    if (this.#background.cuts === next) return;
    this.#background = new Background(next);
    this.#answerLost(this.#background.lost.values());
  }

  /** What the memo knows of the present answers. The run that answers for a state with every store is held. */
  #known(state: CrashState): RecoveryEnd | undefined {
    if (!this.#options.memo) return undefined;
    if (this.#comparedEnd !== undefined && this.#questions.differing === 0) return this.#comparedEnd;
    const ended = this.#memo.find(this.#questions, this.#comparedEnd === undefined ? 0 : this.#questions.same);
    if (ended === undefined || !isWhole(state)) return ended;
    this.#asked.begin();
    for (const part of this.#memo.path(this.#questions)) for (const question of part) this.#asked.add(question);
    this.#compareWithAsked(ended);
    return ended;
  }

  #compareWithAsked(ended: RecoveryEnd): void {
    this.#questions.compareWith(this.#asked);
    this.#memo.hold();
    this.#comparedEnd = ended;
  }

  // ── From point to point ─────────────────────────────────────────────────────────────────────────────────────

  #arrive(point: FailurePoint, { lines }: Moment): Surroundings {
    const version = versionOf(this.#history, point);
    const before = this.#here;
    // Another walk over the trace: what changed in this one says nothing of what the standing machine has.
    if (before?.lines !== lines) this.#standsAt = undefined;
    for (const line of lines.takeChanged()) {
      this.#changed.set(line.key, line);
      this.#questions.lineIs(line.key, () => fullContents(line));
    }
    if (before?.lines === lines && before.version === version) return before;
    this.#here = { lines, version, files: this.#history.read(version) };
    this.#answerAll(this.#here);
    return this.#here;
  }

  /** Files may be others, so that also lines without stores are. */
  #answerAll(here: Surroundings): void {
    for (const key of this.#questions.lines())
      this.#questions.lineIs(key, () => here.lines.contents(key) ?? this.#unstored(here, key));
    for (const text of this.#questions.others) this.#answer(text);
  }

  /** A line that nothing was stored to, as the file has it. */
  #unstored({ files }: Surroundings, key: LineKey): Uint8Array {
    const { file, index } = placeOfLine(key);
    const pool = this.#paths[file]!;
    const there = poolFileIn(files, pool);
    if (there === "gone") return this.#reader.line(undefined, index);
    return this.#reader.line(there === "host" ? this.#unchanged.get(pool) : there.contents, index);
  }

  /** Brings a question that is not about a word up to date. */
  #answer(text: string): Question {
    const { files, version } = this.#here!;
    if (text === "acknowledged" || text === "operation") return this.#questions.other(text, 0);
    if (text === "listing") return this.#questions.other(text, version);
    const name = text.slice(1);
    const named = [...files].filter(([path]) => baseName(path) === name);
    const list = named.map(([path, entry]) => `${path}=${entry.number}`).join("\n");
    return this.#questions.other(text, numberIn(this.#entryLists, list));
  }

  // ── Running ─────────────────────────────────────────────────────────────────────────────────────────────────

  #run(here: Surroundings, { acknowledged }: Moment, named: readonly LostLine[], operation: number): RecoveryEnd {
    this.#bringUp(here);
    const lost = new Map([...this.#background.lost, ...named.map((each) => [each.line.key, each] as const)]);
    // Files that were looked up just now answered for all lines with every store.
    this.#answerLost(lost.values());
    const asked = this.#asked;
    asked.begin();
    for (const name of this.#started.names) asked.add(this.#answer(`/${name}`));
    const uses = {
      ...this.#usesTo(here, acknowledged.length, lost),
      operation: () => asked.add(this.#questions.other("operation", operation)),
    };
    const lines = [...lost.values()].map(({ line, bytes }) => this.#contents(line, bytes));
    this.runs++;
    const inputs = { lines, persistent: this.#persistent, acknowledged, operation };
    const ended = this.#started.run(inputs, this.#options.expectExit, uses);
    if (!this.#options.memo) return ended;
    this.#memo.add(asked.list, this.#questions, ended);
    if (lost.size === 0) this.#compareWithAsked(ended);
    return ended;
  }

  /** What a run uses becomes what it asks. */
  #usesTo(
    here: Surroundings,
    acknowledged: number,
    lost: ReadonlyMap<LineKey, LostLine>,
  ): Omit<RecoveryUses, "operation"> {
    const asked = this.#asked;
    const present = (key: LineKey) => lost.get(key)?.bytes ?? here.lines.contents(key) ?? this.#unstored(here, key);
    return {
      words: (path, numbers) => {
        this.#questions.askWords(this.#numbers.get(path)!, numbers, present, asked);
      },
      name: (name) =>
        asked.add(
          name === this.#acknowledgedName
            ? this.#questions.other("acknowledged", acknowledged)
            : this.#answer(`/${name}`),
        ),
      listing: () => asked.add(this.#answer("listing")),
    };
  }

  /** Lets the machine stand among the present files and lines. */
  #bringUp(here: Surroundings): void {
    const { lines, version, files } = here;
    const stands = this.#standsAt;
    if (stands?.lines !== lines || stands.version !== version) {
      this.#started.prepare(files, this.#persistent);
      this.#changed = new Map([...lines.tracked].map((line) => [line.key, line]));
      this.#standsAt = { lines, version };
      this.#readUnchanged(here);
    }
    if (this.#changed.size === 0) return;
    this.#started.advance([...this.#changed.values()].map((line) => this.#contents(line, fullContents(line))));
    this.#changed.clear();
  }

  /** Persistent files that are still as the host has them are looked up once. */
  #readUnchanged(here: Surroundings): void {
    const unread = this.#paths.filter((pool) => poolFileIn(here.files, pool) === "host" && !this.#unchanged.has(pool));
    for (const path of unread) this.#unchanged.set(path, this.#started.contentsAt(path));
    if (unread.length > 0) this.#answerAll(here);
  }

  #contents({ file, index }: TrackedLine, bytes: Uint8Array): LineContents {
    return { path: this.#paths[file]!, index, bytes };
  }
}

const isWhole = ({ background, named }: CrashState): boolean => background.length === 0 && named.length === 0;

/** The number by which a table knows a value. */
function numberIn<T>(table: Map<T, number>, value: T): number {
  const number = table.get(value) ?? table.size;
  table.set(value, number);
  return number;
}
