/**
 * Crashes inside recoveries as work: the leading thread has the one tree and walks it for the aftermath of every crash, the
 * program's own and those inside recoveries; units are runs that the tree asks for. Always:
 * - How many recoveries run does not depend on how many threads run them: each adds the end of one way that was unknown.
 * - A recovery that goes well is traced where it is first reached, and the power is cut at each of its points.
 * - What no recovery can tell from the aftermath of fewer or as many crashes is not gone through again.
 */

import type { Finding } from "../../crash/finding/index.ts";
import { type Leaf, type PlannedPoints, PointView, planPoints } from "../../crash/recovery-tree/index.ts";
import type { CrashStep, RecoveryEnd } from "../../crash/states/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import { TracedRecoveries } from "../../session/subject/index.ts";
import type { Extent, LeadScene, Plan, PlanLimit } from "../../session/work/index.ts";
import type { CreationSeverity } from "../explain/index.ts";
import { mergeFindings, OpenReadsFinder } from "../explain/index.ts";
import { annotatedFolds, FailedEnds, findFolds, nextRuns, unpackNumbers } from "../recovery-paths/index.ts";
import { type Aftermath, FirstAftermaths, LineNumbers } from "./aftermath.ts";
import { bestOf, bytesOf, Contents, type LineSet, setOf } from "./contents.ts";
import { ExplainedCrashes } from "./explained.ts";
import { FailuresAgain } from "./failures.ts";
import { FileAnswers } from "./files-after.ts";
import { aftermathKey, FurtherAftermaths } from "./further.ts";
import type { AgainSetup } from "./judge.ts";
import { OrderedStates, type TracedPoints } from "./ordered-states.ts";
import { type CrashOrder, type OrderedResult, type OrderedRun, type OrderedUnit, orderKey } from "./orders.ts";
import { Recent } from "./recent.ts";
import { AftermathWalker, type StateAnswers, type UnknownState } from "./walker.ts";

/** Points are begun ahead of the runs that those before them wait for, so that no thread waits for another. */
const mostWaiting = 512;
const tracesKept = 512;

export interface AgainOptions {
  /** Crashes in all. */
  readonly depth: number;
  readonly platform: Platform;
  readonly checksums: readonly string[];
  readonly creation: CreationSeverity;
  /** Recoveries at most. */
  readonly maxExecutions: number;
  /** Findings say why recovery's loads could read several stores. */
  readonly explains: boolean;
  /** Whether functions that take checksums are looked for beside those named. */
  readonly findsChecksums: boolean;
}

export class AgainPlan implements Plan<AgainSetup, OrderedUnit, undefined, OrderedResult> {
  readonly #scene: LeadScene;
  readonly #options: AgainOptions;
  readonly planned: PlannedPoints;
  readonly setup: AgainSetup;
  readonly #numbers: LineNumbers;
  readonly #contents = new Contents();
  readonly #answers: FileAnswers;
  readonly #first: FirstAftermaths;
  readonly #further: FurtherAftermaths;
  readonly #traces: TracedRecoveries;
  readonly #states: OrderedStates;
  readonly #walker: AftermathWalker;
  readonly #view: PointView;
  readonly #failed: FailedEnds;
  readonly #failedAgain: FailuresAgain;
  /** By leaf and files: recoveries with the points inside them. */
  readonly #recoveries = new Recent<string, TracedPoints>(tracesKept);
  /** By what recoveries can tell apart: the fewest crashes that led there. */
  readonly #known = new Map<string, number>();
  readonly #awaited = new Map<string, UnknownState>();
  readonly #returned: OrderedRun[] = [];
  /** By the program's point: aftermaths that are not done. */
  readonly #left: Int32Array;
  #begun = 0;
  #asked = 0;
  /** The first of the program's points behind which something could not be made out. */
  #unknown = Number.POSITIVE_INFINITY;
  /** Of those, the ones that the program's own crashes lead to. */
  readonly #knownFirst = new Set<string>();
  tested = 0;

  constructor(scene: LeadScene, options: AgainOptions) {
    this.#scene = scene;
    this.#options = options;
    const { run, subject, judging } = scene;
    this.planned = planPoints(run.trace, run.history, options.platform);
    const { points } = this.planned;
    const annotated = annotatedFolds(subject.recovery().machine);
    const named = [...options.checksums, ...annotated];
    const found = options.findsChecksums ? findFolds(this.planned, run, subject, judging.hangLimit, named) : [];
    this.setup = { tables: points.tables, checksums: [...new Set([...named, ...found])] };
    this.#numbers = new LineNumbers(points);
    this.#answers = new FileAnswers(points, run.history, subject.acknowledgedPath);
    this.#first = new FirstAftermaths(points, this.#contents, this.#answers);
    this.#traces = new TracedRecoveries(subject, judging.hangLimit);
    this.#states = new OrderedStates(points, scene.versions, this.#traces, options.platform);
    this.#further = new FurtherAftermaths(this.#contents, this.#numbers, this.#answers, this.#states);
    this.#walker = new AftermathWalker(this.#numbers, this.#answers, this.#contents, {
      reached: (leaf, aftermath, lines) => this.#reached(leaf, aftermath, lines),
      done: ({ point }) => void this.#left[point]!--,
    });
    this.#view = new PointView(points);
    this.#failed = new FailedEnds(scene, this.planned, options.creation);
    this.#failedAgain = new FailuresAgain(this.#numbers, points);
    this.#left = new Int32Array(points.count);
  }

  // ── What there is to do ─────────────────────────────────────────────────────────────────────────────────────

  get items(): number {
    return this.#left.length + this.#asked;
  }
  get done(): number {
    return this.#covered + this.#asked - this.#awaited.size;
  }
  get found(): number {
    return this.#failed.count + this.#failedAgain.count;
  }
  /** Points up to the first that has something left: what later ones have in common with it counts as its own. */
  get #covered(): number {
    const open = this.#left.findIndex((left) => left > 0);
    return Math.min(open < 0 ? this.#begun : open, this.#begun, this.#unknown);
  }
  get extent(): Extent {
    const open = this.#awaited.size + this.#returned.length + this.#walker.waiting;
    const points = this.#covered;
    return { points, pointsInAll: this.#left.length, states: this.tested, statesInAll: this.tested + open };
  }
  /** Why something is left although nothing more is handed out. */
  get limit(): PlanLimit | undefined {
    if (this.#walker.tree.isFull) return "tree";
    if (this.tested + this.#awaited.size >= this.#options.maxExecutions) return "max-executions";
    const isRest = this.#walker.waiting === 0 && this.#begun === this.#left.length;
    return isRest && this.#unknown < this.#left.length ? "files" : undefined;
  }
  get isAll(): boolean {
    return this.#covered === this.#left.length;
  }

  next(most: number): OrderedUnit | undefined {
    return nextRuns(most, this.#returned.splice(0, most), this.#walker, () => {
      if (this.limit !== undefined) return undefined;
      const way = this.#walker.next();
      if (way === undefined) return this.#beginNext() ? [] : undefined;
      return [this.#orderOf(way)];
    });
  }

  #beginNext(): boolean {
    if (this.#begun === this.#left.length || this.#awaited.size > mostWaiting) return false;
    const aftermath = this.#first.at(this.#begun++);
    this.#isKnown(aftermath);
    this.#begin(aftermath);
    return true;
  }

  #begin(aftermath: Aftermath): void {
    this.#left[aftermath.point]!++;
    this.#walker.begin(aftermath);
  }

  /** Whether nothing new can come of it. */
  #isKnown(aftermath: Aftermath): boolean {
    const { points } = this.planned;
    const printed = points.printedBytes(aftermath.point);
    const key = `${aftermathKey(aftermath)} ${printed} ${this.#failed.verdicts.measure(aftermath.point)}`;
    const crashes = this.#known.get(key) ?? Number.POSITIVE_INFINITY;
    this.#known.set(key, Math.min(crashes, aftermath.crashes));
    if (aftermath.crashes === 1) this.#knownFirst.add(key);
    return crashes <= aftermath.crashes;
  }

  #orderOf(way: UnknownState): OrderedRun {
    const order = this.#stateOf(way.aftermath, way.lines);
    this.#asked++;
    this.#awaited.set(orderKey(order), way);
    return { ...order, depth: way.depth };
  }

  /** The state in which the lines hold the best that they can. */
  #stateOf({ point, files }: Aftermath, lines: ReadonlyMap<number, LineSet>): CrashOrder {
    this.#view.moveTo(point);
    const { points } = this.planned;
    const own = [...lines].flatMap(([line, set]) => {
      const content = bestOf(set);
      const { words, crash, number } = content;
      const isHigh = crash === 1 && line < points.lines && number === this.#view.high[line];
      // A recovery's calls may have written to it.
      if (isHigh && points.bytes(number).every((byte, at) => byte === bytesOf(content)[at])) return [];
      const { file, index } = this.#numbers.place(line);
      return [[file, index, ...words]];
    });
    return { point, lines: own, ...(files.made && { files: files.made }) };
  }

  sizeOf({ runs }: OrderedUnit): number {
    return runs.length;
  }
  hint(): undefined {
    return undefined;
  }
  versionsOf({ runs }: OrderedUnit): Iterable<number> {
    return new Set(runs.map(({ point }) => this.planned.points.version(point, this.#scene.versions)));
  }

  add({ unit, rest, told }: OrderedResult): void {
    for (const [i, order] of unit.runs.entries()) {
      const { asked, texts, ended } = told[i]!;
      const key = orderKey(order);
      const state = this.#answersOf(order);
      const stretch = this.#awaited.get(key)?.stretch ?? this.#walker.find(state).stretch;
      this.#awaited.delete(key);
      if (stretch.next.kind !== "awaited") continue;
      this.#walker.told(stretch, unpackNumbers(asked), texts, state, ended);
      this.tested++;
    }
    if (rest !== undefined) this.#returned.push(...rest.runs);
  }

  #answersOf(order: CrashOrder): StateAnswers {
    const { point } = order;
    const { points } = this.planned;
    this.#view.moveTo(point);
    const { high } = this.#view;
    const held = new Map(
      order.lines.map(([file, index, ...words]) => [this.#numbers.of(file!, index!), Int32Array.from(words)]),
    );
    const own = this.#answers.atPoint(point);
    const made = order.files;
    const files =
      made === undefined
        ? own
        : { ...own, key: `${own.key} ${this.#states.filesNumber(order)}`, made, read: () => this.#states.files(order) };
    const words = (line: number) => {
      const known = held.get(line);
      if (known !== undefined || line >= points.lines || !points.isStored(line, point)) return known;
      const bytes = points.bytes(high[line]!);
      return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    };
    return { files, point, words };
  }

  // ── What comes of it ────────────────────────────────────────────────────────────────────────────────────────

  #reached(leaf: Leaf, aftermath: Aftermath, lines: ReadonlyMap<number, LineSet>): void {
    const failure = this.#failed.verdicts.failureOf(leaf.ended, aftermath.point);
    if (failure === undefined) this.#cutAgain(leaf, aftermath, lines);
    else if (aftermath.origin !== undefined) this.#failedAgain.add(failure, aftermath, lines);
    else {
      this.#view.moveTo(aftermath.point);
      const held = () => this.#failedAgain.heldFirst(aftermath, lines);
      this.#failed.add(leaf.ended, aftermath.point, held, this.#view);
    }
  }

  #cutAgain({ number }: Leaf, aftermath: Aftermath, lines: ReadonlyMap<number, LineSet>): void {
    if (aftermath.crashes >= this.#options.depth) return;
    const order = this.#stateOf(aftermath, lines);
    const orderOf = (place: number) => this.#stateOf(aftermath, contentsAt(lines, place));
    const key = `${number} ${aftermath.files.key}`;
    const recovery = this.#recoveries.get(key, () => this.#states.traced(order));
    for (const further of this.#further.of({ aftermath, lines, order, orderOf }, recovery))
      if (further === "unknown") this.#unknown = Math.min(this.#unknown, aftermath.point);
      else if (!this.#isKnown(further)) this.#begin(further);
  }

  findings(told: ReadonlySet<string> = new Set()): readonly Finding[] {
    const { explains } = this.#options;
    const first = this.#failed.findings(told).map((finding) => (explains ? this.#openReads.joined(finding) : finding));
    const { verdicts } = this.#failed;
    const explained = new ExplainedCrashes(this.#scene, this.planned, this.#traces, explains);
    const again = this.#failedAgain.smallest().map(({ point, ...failing }) =>
      explained.finding(failing, {
        failureOf: (ended) => verdicts.failureOf(ended, point),
        printedWrong: (ended) => verdicts.printedWrong(ended, point),
      }),
    );
    const known = new Set([...told, ...first.map(({ fingerprint }) => fingerprint)]);
    return [...first, ...mergeFindings(again).filter(({ fingerprint }) => !known.has(fingerprint))];
  }

  get #openReads(): OpenReadsFinder {
    return new OpenReadsFinder(this.#scene, this.planned.source);
  }

  /** What crashes inside recoveries lead to, as far as recoveries can tell it apart; not what the program's own lead to. */
  get recoveryPoints(): number {
    return this.#known.size - this.#knownFirst.size;
  }

  // ── What was explored ───────────────────────────────────────────────────────────────────────────────────────

  get ends(): readonly RecoveryEnd[] {
    return this.#walker.tree.leaves.map(({ ended }) => ended);
  }

  /** Crashes that recovery fails after, one way for each failure and the places that lost stores. */
  get failingSteps(): readonly (readonly CrashStep[])[] {
    return this.#failedAgain.smallest().map(({ steps }) => steps);
  }
}

/** One content of each line. */
const contentsAt = (lines: ReadonlyMap<number, LineSet>, place: number): ReadonlyMap<number, LineSet> =>
  new Map([...lines].map(([line, set]) => [line, setOf([set.contents[place] ?? bestOf(set)])]));
