/**
 * How recovery ends at the crash states of one failure point after another. Always:
 * - An outcome is that of running recovery on the crash state from its first instruction; the memo, and a machine that has
 *   started up already, only spare work.
 * - Going from point to point costs what changed in between; a crash state costs the lines it loses and what its run does.
 */

import { contentsAt, fullContents, type LineKey, type PmLines, placeOfLine, type TrackedLine } from "../pmem/index.ts";
import type { FileContents, LineContents } from "../vm/index.ts";
import { type FileVersion, type FileVersions, versionOf } from "./files.ts";
import { checkLegal } from "./law.ts";
import type { LineReader } from "./line-reader.ts";
import type { Mappings } from "./mappings.ts";
import { type Asking, type Question, RecoveryMemo } from "./memo.ts";
import type { FailurePoint } from "./points.ts";
import { Asked, Questions } from "./questions.ts";
import { ReadyRecovery, type RecoveryUses } from "./ready.ts";
import type { Ended, Recovery } from "./recovery.ts";
import type { CrashSource } from "./source.ts";
import type { CutLine } from "./states.ts";
import type { Moment } from "./walk.ts";

export interface RecoveriesOptions {
  /** Off: every crash state runs. */
  readonly memo: boolean;
  readonly maxInstructions: number;
  /** From the trace's path of a persistent file to the name the machine knows. */
  guestPath(path: string): string;
}

const lastName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** A line that does not keep every store, and what is left of it. */
interface LostLine {
  readonly line: TrackedLine;
  readonly bytes: Uint8Array;
}

/** Where the walk through the trace is. */
interface Here {
  readonly lines: PmLines;
  readonly mappings: Mappings;
  readonly version: number;
  readonly files: FileVersion;
  readonly persistent: ReadonlySet<string>;
}

export class Recoveries {
  readonly #ready: ReadyRecovery;
  readonly #source: CrashSource;
  readonly #history: FileVersions;
  readonly #options: RecoveriesOptions;
  readonly #acknowledgedName: string;
  readonly #memo = new RecoveryMemo<Ended>();
  readonly #questions = new Questions();
  readonly #asked = new Asked();
  /** How the run ended that present answers are held against. */
  #held: Ended | undefined;
  readonly #entryLists = new Map<string, number>();
  readonly #reader: LineReader;
  /** Persistent files as the host has them. */
  readonly #unchanged = new Map<string, FileContents | undefined>();
  #here: Here | undefined;
  /** The version the standing machine was prepared for, and lines that changed since. */
  #standsAt: { readonly lines: PmLines; readonly version: number; readonly files: number } | undefined;
  #behind = new Map<LineKey, TrackedLine>();
  /** Recoveries run for outcomes that the memo did not have. */
  runs = 0;

  constructor(recovery: Recovery, source: CrashSource, options: RecoveriesOptions) {
    this.#ready = new ReadyRecovery(recovery, options.maxInstructions);
    this.#reader = this.#ready.reader();
    this.#acknowledgedName = lastName(recovery.options.acknowledgedPath);
    this.#source = source;
    this.#history = source.versions;
    this.#options = options;
  }

  /**
   * These lines keep what their cuts say, all others every store. A hypothetical state is tried to find out what a failure
   * is due to: it need not be one that a crash can leave, and is neither counted nor reported.
   */
  outcome(
    point: FailurePoint,
    moment: Moment,
    cuts: readonly CutLine[],
    how: "possible" | "hypothetical" = "possible",
  ): Ended {
    if (how === "possible") checkLegal(this.#source, point.seq, moment.lines, cuts);
    const here = this.#arrive(point, moment);
    const lost = cuts.map(({ line, cut }): LostLine => ({ line, bytes: contentsAt(line, cut) }));
    for (const { line, bytes } of lost) this.#questions.lineIs(line.key, bytes);
    this.#questions.other("acknowledged", moment.acknowledged.length);
    const ended = this.#known(lost) ?? this.#run(here, moment, lost);
    for (const { line } of lost) this.#questions.lineIs(line.key, fullContents(line));
    return ended;
  }

  /** What the memo knows of the present answers. The run that answers for a state with every store is held. */
  #known(lost: readonly LostLine[]): Ended | undefined {
    if (!this.#options.memo) return undefined;
    if (this.#held !== undefined && this.#questions.differing === 0) return this.#held;
    const ended = this.#memo.find(this.#questions);
    if (ended !== undefined && lost.length === 0) this.#hold(this.#memo.path(this.#questions), ended);
    return ended;
  }

  #hold(asked: Iterable<Asking>, ended: Ended): void {
    this.#questions.hold(asked);
    this.#held = ended;
  }

  // ── From point to point ─────────────────────────────────────────────────────────────────────────────────────

  #arrive(point: FailurePoint, { lines, mappings }: Moment): Here {
    const version = versionOf(this.#history, point);
    const before = this.#here;
    for (const line of lines.takeChanged()) {
      this.#behind.set(line.key, line);
      this.#questions.lineIs(line.key, fullContents(line));
    }
    if (before?.lines === lines && before.version === version && before.persistent.size === mappings.paths.length)
      return before;
    const persistent = new Set(mappings.paths.map(this.#options.guestPath));
    this.#here = { lines, mappings, version, files: this.#history.read(version), persistent };
    this.#answerAll(this.#here);
    return this.#here;
  }

  /** Files may be others, so that also lines without stores are. */
  #answerAll(here: Here): void {
    for (const key of this.#questions.lines())
      this.#questions.lineIs(key, here.lines.contents(key) ?? this.#unstored(here, key));
    for (const text of this.#questions.others) this.#answer(text);
  }

  /** A line that nothing was stored to, as the file has it. */
  #unstored({ files, mappings }: Here, key: LineKey): Uint8Array {
    const { file, index } = placeOfLine(key);
    const path = this.#options.guestPath(mappings.path(file));
    const entry = files.get(path);
    return this.#reader.line(entry?.kind === "file" ? entry.contents : this.#unchanged.get(path), index);
  }

  /** Brings a question that is not about a word up to date. */
  #answer(text: string): Question {
    const { files, version } = this.#here!;
    if (text === "acknowledged") return this.#questions.other(text, 0);
    if (text === "listing") return this.#questions.other(text, version);
    const name = text.slice(1);
    const named = [...files].filter(([path]) => lastName(path) === name);
    const list = named.map(([path, entry]) => `${path}=${entry.number}`).join("\n");
    return this.#questions.other(text, numberIn(this.#entryLists, list));
  }

  // ── Running ─────────────────────────────────────────────────────────────────────────────────────────────────

  #run(here: Here, { acknowledged }: Moment, lost: readonly LostLine[]): Ended {
    this.#stand(here);
    const asked = this.#asked;
    asked.begin();
    for (const name of this.#ready.names) asked.add(this.#answer(`/${name}`));
    const uses = this.#usesTo(here, acknowledged.length, lost);
    const lines = lost.map(({ line, bytes }) => this.#contents(here, line, bytes));
    this.runs++;
    const ended = this.#ready.run(lines, here.persistent, acknowledged, uses);
    if (!this.#options.memo) return ended;
    this.#memo.add(asked.list, this.#questions, ended);
    if (lost.length === 0) this.#hold([asked.list], ended);
    return ended;
  }

  /** What a run uses becomes what it asks. */
  #usesTo(here: Here, acknowledged: number, lost: readonly LostLine[]): RecoveryUses {
    const { guestPath } = this.#options;
    const asked = this.#asked;
    const files = new Map(here.mappings.paths.map((path, file) => [guestPath(path), file]));
    const present = (key: LineKey) =>
      lost.find(({ line }) => line.key === key)?.bytes ?? here.lines.contents(key) ?? this.#unstored(here, key);
    return {
      words: (path, numbers) => {
        this.#questions.words(files.get(path)!, numbers, present, asked);
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
  #stand(here: Here): void {
    const { lines, version, files, persistent } = here;
    const stands = this.#standsAt;
    if (stands?.lines !== lines || stands.version !== version || stands.files !== persistent.size) {
      this.#ready.prepare(files, persistent);
      this.#behind = new Map([...lines.tracked].map((line) => [line.key, line]));
      this.#standsAt = { lines, version, files: persistent.size };
      this.#readUnchanged(here);
    }
    if (this.#behind.size === 0) return;
    this.#ready.advance([...this.#behind.values()].map((line) => this.#contents(here, line, fullContents(line))));
    this.#behind.clear();
  }

  /** Persistent files that are still as the host has them are looked up once. */
  #readUnchanged(here: Here): void {
    const unread = [...here.persistent].filter((path) => !here.files.has(path) && !this.#unchanged.has(path));
    for (const path of unread) this.#unchanged.set(path, this.#ready.contentsAt(path));
    if (unread.length > 0) this.#answerAll(here);
  }

  #contents({ mappings }: Here, { file, index }: TrackedLine, bytes: Uint8Array): LineContents {
    return { path: this.#options.guestPath(mappings.path(file)), index, bytes };
  }
}

/** The number by which a table knows a value. */
function numberIn<T>(table: Map<T, number>, value: T): number {
  const number = table.get(value) ?? table.size;
  table.set(value, number);
  return number;
}
