/**
 * Every way that recovery can go, as work: the leading thread has the one tree and walks it; units are runs that the tree asks for. Always:
 * - How many recoveries run does not depend on how many threads run them: each adds the end of one way that was unknown.
 * - A round is covered when every way that one of its crash states takes has been gone to its end.
 */
import { assert } from "../../base/index.ts";
import type { CrashFacts, EarlyFinding, Finding, RecoveryWays } from "../../crash/finding/index.ts";
import {
  type Held,
  type Leaf,
  orderedStates,
  PointView,
  type RecoveryTree,
  type Round,
  type Stretch,
  type TracePoints,
  type TreeWalker,
  type UnknownWay,
} from "../../crash/recovery-tree/index.ts";
import { type CutChoice, type CutLine, crashOf, type RecoveryEnd, verdictFails } from "../../crash/states/index.ts";
import {
  byPlace,
  type Extent,
  type LeadScene,
  type PlacedPoints,
  type Plan,
  placeKey,
} from "../../session/work/index.ts";
import { WaysJudge, type WaysSetup } from "./judge.ts";
import { nextRuns } from "./next-runs.ts";
import { unpackQuestions } from "./packed-questions.ts";
import { Parting } from "./parting.ts";
import type { RunOrder, RunsResult, RunUnit } from "./run-orders.ts";
import type { Started } from "./started.ts";

/** Rounds are begun ahead of the runs that those before them wait for, so that no thread waits for another. */
const mostWaiting = 512;

export interface WaysLimits {
  /** Recoveries at most. */
  readonly maxExecutions: number;
  /** Not all may be gone: points where several lines are open come first. */
  readonly likelyFirst?: boolean;
  /** Whether what was found is enough. */
  readonly isEnough?: () => boolean;
}

/** What an engine makes of the ends that recovery comes to. */
export interface WayWatcher {
  /** Findings so far, for progress. */
  readonly found: number;
  /** Whether it asks the walker which stores can be behind what a way was answered: contents with equal bytes count each. */
  readonly tellsStoresApart?: boolean;
  /** By point, the ways there that fail and that no point before it has. */
  readonly failing?: ReadonlyMap<number, number>;
  /** Some states of the point end here; the walker stands there. */
  reached(leaf: Leaf, point: number, walker: TreeWalker): void;
  /** What fails for the first time, since this was asked last. */
  news?(): readonly EarlyFinding[];
  /** Whether states that also the point before had must be told again. */
  isJudgedAnew(point: number): boolean;
  /** `told`: fingerprints of what need not be told again. */
  findings(told: ReadonlySet<string>): readonly Finding[];
  /** A finding of another engine, with what the tree tells of its crash. `learn` has a state's way in the tree, if it was not gone before. */
  joined?(finding: Finding, walker: TreeWalker, learn: LearnWay): Finding;
}

export type LearnWay = (point: number, held: readonly Held[]) => void;

export class WaysPlan implements Plan<WaysSetup, RunUnit, undefined, RunsResult> {
  readonly #scene: LeadScene;
  readonly #started: Started;
  readonly #limits: WaysLimits;
  readonly #walker: TreeWalker;
  readonly #watcher: WayWatcher;
  /** Runs that are asked for and have not told, by their point and what lines hold. */
  readonly #awaited = new Map<string, UnknownWay>();
  readonly #returned: RunOrder[] = [];
  /** In the order in which they are begun, how many were, and which points as a whole. */
  readonly #rounds: readonly Round[];
  #begun = 0;
  readonly #isBegun: Uint8Array;
  /** Where stores persist in their order: stands at the point that is begun. */
  #ordered: PointView | undefined;
  #asked = 0;
  readonly #covered = new Set<Round>();
  /** Whole points, whatever rounds come before them; without any, the rounds count. */
  readonly #wholePoints: number;
  #wholeCovered = 0;
  /** For what is asked when all is done. */
  #judge: WaysJudge | undefined;
  tested: number;
  readonly setup: WaysSetup;

  /** Every crash state of every point, unless rounds are given. */
  constructor(
    scene: LeadScene,
    started: Started,
    limits: WaysLimits,
    watcher: WayWatcher,
    rounds = wholePoints(started.planned.points, limits),
  ) {
    this.#scene = scene;
    this.#started = started;
    this.#limits = limits;
    this.#watcher = watcher;
    this.#rounds = rounds;
    this.#wholePoints = rounds.filter(isWholePoint).length;
    const isShared = started.shared !== undefined;
    this.setup = { tables: started.planned.points.tables, checksums: started.checksums, isShared };
    this.#walker = started.walker({
      reached: (leaf, point) => watcher.reached(leaf, point, this.#walker),
      covered: (round) => this.#cover(round),
      isJudgedAnew: (point) => watcher.isJudgedAnew(point),
      tellsStoresApart: watcher.tellsStoresApart ?? false,
    });
    this.#isBegun = new Uint8Array(started.planned.points.count);
    this.tested = this.#walker.tree.leaves.length;
    if (this.tested > 0 && started.shared !== undefined)
      this.#share({ point: started.planned.points.count - 1, held: [] });
  }

  #cover(round: Round): void {
    this.#covered.add(round);
    if (isWholePoint(round)) this.#wholeCovered++;
  }

  get items(): number {
    return this.#rounds.length + this.#asked;
  }
  get done(): number {
    return this.#covered.size + this.#asked - this.#awaited.size;
  }
  get found(): number {
    return this.#watcher.found;
  }
  get extent(): Extent {
    const open = this.#awaited.size + this.#returned.length + this.#walker.waiting;
    const isOfPoints = this.#wholePoints > 0;
    const lostLines = this.#lostLines();
    return {
      points: isOfPoints ? this.#wholeCovered : this.#covered.size,
      pointsInAll: isOfPoints ? this.#wholePoints : this.#rounds.length,
      states: this.tested,
      statesInAll: this.tested + open,
      ...(lostLines > 0 && { lostLines }),
    };
  }

  /** Where not all is gone: at every point, each state in which at most so many lines lose stores is. */
  #lostLines(): number {
    if (this.#begun < this.#rounds.length || this.isAll) return 0;
    return (this.#walker.fewestLost ?? 1) - 1;
  }
  /** Why nothing more is handed out although something is left. */
  get limit() {
    if (this.#walker.tree.isFull) return "tree" as const;
    if (this.#limits.isEnough?.()) return "first" as const;
    return this.tested + this.#awaited.size >= this.#limits.maxExecutions ? ("max-executions" as const) : undefined;
  }

  next(most: number): RunUnit | undefined {
    return nextRuns(most, this.#returned.splice(0, most), this.#walker, () => {
      if (this.limit !== undefined) return undefined;
      const way = this.#walker.next(this.#begun < this.#rounds.length);
      if (way === undefined) return this.#beginNext() ? [] : undefined;
      return this.#isKnownElsewhere(way) ? [] : [this.#orderOf(way)];
    });
  }

  #beginNext(): boolean {
    const round = this.#rounds[this.#begun];
    if (round === undefined || this.#awaited.size > mostWaiting) return false;
    const { point, open } = round;
    this.#begun++;
    const isAlone = point === 0 || this.#isBegun[point - 1] === 0;
    if (this.#started.planned.source.platform === "strict" && open === undefined) this.#beginOrdered(round, isAlone);
    else this.#walker.begin(round, isAlone);
    if (open === undefined) this.#isBegun[point] = 1;
    return true;
  }

  /** States that keep nothing newer than the point before were gone through there, if recovery can see nothing else that is new. */
  #beginOrdered(round: Round, isAlone: boolean): void {
    const { planned, others } = this.#started;
    const { point } = round;
    const isNews = isAlone || others.mayDiffer(point) || this.#watcher.isJudgedAnew(point);
    this.#ordered ??= new PointView(planned.points);
    this.#ordered.moveTo(point);
    const from = isNews ? 0 : planned.points.point(point - 1).seq;
    this.#walker.beginStates(round, orderedStates(planned, this.#ordered, from));
  }

  /** Whether a recovery on a state of another run has shown it; what a checksum may be assumed of differs from run to run. */
  #isKnownElsewhere(way: UnknownWay): boolean {
    const { shared, checksums } = this.#started;
    if (shared === undefined || checksums.length > 0) return false;
    const known = shared.known(way.point, way.held, this.#askedTo(way.stretch));
    if (known !== undefined) this.#walker.told(way, known.asked, known.ended);
    return known !== undefined;
  }

  /** All that is asked on the way to the end of a stretch. */
  #askedTo(end: Stretch): readonly number[] {
    return this.#walker.way(end).flatMap((stretch, at, way) => {
      const own: number[] = [];
      for (const asked = this.tree.read(stretch); asked.isMore; asked.pass()) own.push(asked.question);
      const { next } = stretch;
      return next.kind === "fork" && at + 1 < way.length ? [...own, next.question] : own;
    });
  }

  /** What the end of a way is reached by, told to other runs. */
  #share({ point, held }: Pick<RunOrder, "point" | "held">): void {
    const { shared } = this.#started;
    const { stretch } = this.#walker.find(point, held);
    if (shared === undefined || stretch.next.kind !== "leaf") return;
    shared.add(point, held, this.#askedTo(stretch), stretch.next.ended);
  }

  #orderOf(way: UnknownWay): RunOrder {
    const { point, held, depth } = way;
    this.#asked++;
    this.#awaited.set(keyOf(way), way);
    return { point, held, depth };
  }

  sizeOf({ runs }: RunUnit): number {
    return runs.length;
  }

  hint(): undefined {
    return undefined;
  }

  versionsOf({ runs }: RunUnit): Iterable<number> {
    const { points } = this.#started.planned;
    return new Set(runs.map(({ point }) => points.version(point, this.#scene.versions)));
  }

  add({ unit, rest, told }: RunsResult): void {
    for (const [i, order] of unit.runs.entries()) {
      const { asked, texts, ended } = told[i]!;
      const way = this.#wayOf(order);
      if (way === undefined) continue;
      this.#walker.told(way, { questions: unpackQuestions(asked), texts }, ended);
      if (this.#started.shared !== undefined) this.#share(order);
      this.tested++;
    }
    if (rest !== undefined) this.#returned.push(...rest.runs);
  }

  /** What a run was asked for; one from a journal is looked up. Undefined when it was told before. */
  #wayOf(order: RunOrder): UnknownWay | undefined {
    const key = keyOf(order);
    const known = this.#awaited.get(key);
    this.#awaited.delete(key);
    if (known !== undefined) return known;
    const { stretch, depth } = this.#walker.find(order.point, order.held);
    return isOpen(stretch) ? { ...order, stretch, depth } : undefined;
  }

  news(): readonly EarlyFinding[] {
    return this.#watcher.news?.() ?? [];
  }

  findings(told: ReadonlySet<string> = new Set()): readonly Finding[] {
    return this.#watcher.findings(told);
  }

  joined(finding: Finding): Finding {
    return this.#watcher.joined?.(finding, this.#walker, (point, held) => this.#learn(point, held)) ?? finding;
  }

  /** One more recovery, which counts as none: nothing is looked for in it. */
  #learn(point: number, held: readonly Held[]): void {
    const { stretch, depth } = this.#walker.find(point, held);
    if (!isOpen(stretch) || this.#walker.tree.isFull) return;
    this.#judge ??= new WaysJudge(this.setup, this.#scene);
    const { told } = this.#judge.judge({ runs: [{ point, held, depth }] }, undefined, () => false);
    const { asked, texts, ended } = told[0]!;
    this.#walker.told({ point, held, stretch, depth }, { questions: unpackQuestions(asked), texts }, ended);
  }

  /** Where the same crash is a point of this exploration, and not what was printed is what is wrong. */
  waysAt({ witness, expected }: CrashFacts): RecoveryWays | undefined {
    const { planned, others } = this.#started;
    const { before, version, cuts } = crashOf(witness.choices);
    const { points } = planned;
    const point = points.at(before, version);
    if (point === undefined || expected !== undefined || this.#isBegun[point] === 0) return undefined;
    const held = cuts.map((cut) => heldBy(points, point, cut));
    if (held.some((each) => each === undefined)) return undefined;
    const { expectExit } = this.#scene.judging;
    const fails = (verdict: RecoveryEnd["verdict"]) => verdictFails(verdict, expectExit);
    return new Parting({ planned, others, tree: this.tree, point, held: held as Held[], fails }).ways();
  }

  /** Of a point, what fails is counted by the ways that no point before it has. */
  placedPoints(): readonly PlacedPoints[] {
    const { points } = this.#started.planned;
    const { resolver } = this.#scene.places;
    const counted = Array.from(statesOf(points), (states, point) => ({
      point: points.point(point),
      states,
      judged: this.#isBegun[point] === 1 ? states : 0,
    }));
    const failing = new Map<string, number>();
    for (const [point, ways] of this.#watcher.failing ?? []) {
      const key = placeKey(points.point(point));
      failing.set(key, (failing.get(key) ?? 0) + ways);
    }
    return byPlace(counted, ({ site, stack }) => resolver.frames(site, stack), failing);
  }

  // ── What was explored ───────────────────────────────────────────────────────────────────────────────────────

  get isAll(): boolean {
    return this.#covered.size === this.#rounds.length;
  }

  isCovered(round: Round): boolean {
    return this.#covered.has(round);
  }

  get tree(): RecoveryTree {
    return this.#walker.tree;
  }

  /** How recovery ends on a state of a point, where that was explored. */
  endOf(point: number, cuts: readonly CutLine[]): RecoveryEnd | undefined {
    const { points } = this.#started.planned;
    const held = cuts.map(({ line, cut }): Held => {
      const number = points.lineAt(line.file, line.index);
      const content = number === undefined ? undefined : points.contentAt(number, point, cut);
      assert(content !== undefined, "a cut that a crash can leave is one of its line's contents");
      return [number!, content];
    });
    const { next } = this.#walker.find(point, held).stretch;
    return next.kind === "leaf" ? next.ended : undefined;
  }

  get ends(): readonly RecoveryEnd[] {
    return this.#walker.tree.leaves.map(({ ended }) => ended);
  }
}

function* numbers(count: number): Iterable<number> {
  for (let number = 0; number < count; number++) yield number;
}

const isWholePoint = ({ open }: Round): boolean => open === undefined;

/** Every crash state of every point. */
export function wholePoints(points: TracePoints, limits: Pick<WaysLimits, "likelyFirst">): readonly Round[] {
  const order = limits.likelyFirst ? likelyFirst(points) : numbers(points.count);
  return Array.from(order, (point) => ({ point }));
}

/** Where several lines are open, more can go wrong than crashes that lose one line can show. */
function likelyFirst(points: TracePoints): Int32Array {
  const view = new PointView(points);
  const open = new Set<number>();
  const several = new Uint8Array(points.count);
  for (const point of numbers(points.count)) {
    view.moveTo(point, (line) => void (view.low[line] === view.high[line] ? open.delete(line) : open.add(line)));
    several[point] = open.size > 1 ? 1 : 0;
  }
  return Int32Array.from(numbers(points.count)).sort((a, b) => several[b]! - several[a]! || a - b);
}

/** What a line holds that a witness says is cut; undefined when it cannot hold that at the point. */
function heldBy(points: TracePoints, point: number, { path, line: index, kept, pieces = [] }: CutChoice) {
  const file = points.tables.paths.indexOf(path);
  const line = file < 0 ? undefined : points.lineAt(file, index);
  if (line === undefined) return undefined;
  const mask = pieces.reduce((bits, piece) => bits | (1 << piece), 0);
  const [low, high] = points.window(line, point);
  const { cuts } = points.tables;
  for (let content = low; content <= high; content++)
    if (cuts[2 * content] === kept && cuts[2 * content + 1] === mask) return [line, content] as const;
  return undefined;
}

/** Of each point, its crash states; no more than can be counted exactly. */
function* statesOf(points: TracePoints): Iterable<number> {
  const view = new PointView(points);
  const open = new Map<number, number>();
  for (const point of numbers(points.count)) {
    view.moveTo(point, (line) => {
      const contents = view.high[line]! - view.low[line]! + 1;
      if (contents === 1) open.delete(line);
      else open.set(line, contents);
    });
    const states = [...open.values()].reduce((product, contents) => product * contents, 1);
    yield Math.min(states, Number.MAX_SAFE_INTEGER);
  }
}

const keyOf = ({ point, held }: Pick<RunOrder, "point" | "held">): string => `${point} ${held.join(" ")}`;
const isOpen = ({ next }: Stretch): boolean => next.kind === "awaited";
