/**
 * What the order of stores has to do with a failure: the pair that persists out of order, or that recovery fails in the same way after
 * a crash while stores persist in their order. Always: recovery is a function of the answers it gets, so that it is enough to
 * know whether such a crash gives the same ones.
 */

import type { CrashFacts, Finding } from "../../crash/finding/index.ts";
import type { PlannedPoints, TreeWalker } from "../../crash/recovery-tree/index.ts";
import { type Choice, type CutChoice, crashOf, verdictFails } from "../../crash/states/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { eventsBetween, notesIn } from "../../trace/events/index.ts";
import {
  happensBeforeIn,
  type OrderViolation,
  PairFacts,
  pairOf,
  type SeenEvent,
  WayOrder,
} from "../persist-order/index.ts";
import type { LearnWay } from "./plan.ts";

const stdout = 1;

export class FailureOrder {
  readonly #scene: LeadScene;
  readonly #planned: PlannedPoints;
  readonly #walker: TreeWalker;
  readonly #order: WayOrder;
  readonly #facts: PairFacts;
  readonly #seen: readonly SeenEvent[];

  constructor(scene: LeadScene, planned: PlannedPoints, walker: TreeWalker) {
    this.#scene = scene;
    this.#planned = planned;
    this.#walker = walker;
    this.#order = new WayOrder(planned, happensBeforeIn(scene.run));
    this.#facts = new PairFacts(scene, planned);
    this.#seen = seenEvents(scene);
  }

  /** As it was where the crash state's way is not known, or what is wrong is what was printed, or that nothing was there yet. */
  joined(finding: Finding, learn?: LearnWay): Finding {
    const { crash } = finding;
    if (crash === undefined || crash.creating !== undefined) return finding;
    if (!verdictFails(crash.verdict, this.#scene.judging.expectExit)) return finding;
    const point = this.#pointOf(crash.witness.choices);
    const held = point === undefined ? undefined : this.#heldBy(crash.witness.choices, point);
    if (point === undefined || held === undefined) return finding;
    learn?.(point, [...held]);
    const judged = this.#order.judgeState(point, held, this.#walker, this.#lastSeen(point));
    if (judged === undefined) return finding;
    // A crash before the lost store was made gives the same answers, and is told by itself.
    if (judged.hasStrictTwin) return crash.late ? finding : { ...finding, crash: { ...crash, strict: true } };
    const [violation] = judged.violations.toSorted((a, b) => rank(a, crash) - rank(b, crash));
    if (violation === undefined) return finding;
    return { ...finding, order: this.#facts.of(pairOf(violation, point, this.#planned.points)) };
  }

  /**
   * The first point from the crash on: where the power was cut between two points, the same state is left there, since stores alone lie
   * in between.
   */
  #pointOf(choices: readonly Choice[]): number | undefined {
    const { before, version } = crashOf(choices);
    const { points } = this.#planned;
    for (let number = 0; number < points.count; number++) {
      const point = points.point(number);
      if (point.seq >= before && point.version === version) return number;
    }
    return undefined;
  }

  /** Undefined when it speaks of a line that the tree does not know. */
  #heldBy(choices: readonly Choice[], point: number): ReadonlyMap<number, number> | undefined {
    const { before, cuts } = crashOf(choices);
    const held = cuts.map((cut) => this.#lineOf(cut));
    if (!held.every((each) => each !== undefined)) return undefined;
    return new Map([...this.#storedBy(before, point), ...held]);
  }

  /** Lines that are stored to between the crash and the point, as they were. */
  *#storedBy(before: number, point: number): Iterable<readonly [line: number, content: number]> {
    const { points, stores } = this.#planned;
    if (points.point(point).seq === before) return;
    for (let line = 0; line < stores.lines; line++) {
      const kept = stores.before(line, before);
      const [, high] = points.window(line, point);
      const content = points.tables.cuts[2 * high]! <= kept ? undefined : this.#contentOf(line, kept, 0);
      if (content !== undefined) yield [line, content];
    }
  }

  #lineOf({ path, line: index, kept, pieces = [] }: CutChoice): readonly [line: number, content: number] | undefined {
    const { points } = this.#planned;
    const line = points.lineAt(points.tables.paths.indexOf(path), index);
    const mask = pieces.reduce((bits, piece) => bits | (1 << piece), 0);
    const content = line === undefined ? undefined : this.#contentOf(line, kept, mask);
    return content === undefined ? undefined : [line!, content];
  }

  #contentOf(line: number, kept: number, mask: number): number | undefined {
    const { points } = this.#planned;
    const { cuts } = points.tables;
    const [first, end] = points.contentsOf(line);
    for (let content = first; content < end; content++)
      if (cuts[2 * content] === kept && cuts[2 * content + 1] === mask) return content;
    return undefined;
  }

  /** What was printed or done to files last before the point. */
  #lastSeen(point: number): SeenEvent | undefined {
    const { seq } = this.#planned.points.point(point);
    return this.#seen.findLast((event) => event.seq < seq);
  }
}

/** What recovery can know of otherwise than by what was stored, in order: what was printed, and calls that changed files. */
function seenEvents({ trace, run }: LeadScene): readonly SeenEvent[] {
  const printed = [...notesIn(trace)].filter((event) => event.kind === "output" && event.stream === stdout);
  const calls = [...run.history.starts].filter((start) => start > 0);
  const before = calls.flatMap((start) => [...eventsBetween(trace, start - 1, start)]);
  return [...printed, ...before].sort((a, b) => a.seq - b.seq);
}

/** A pair of what the failure is about comes first. */
function rank({ missing, kept }: OrderViolation, { lost, kept: survivors }: CrashFacts): number {
  const isLost = lost.some(({ mark }) => mark.seq === missing.store.seq);
  const isKept = survivors.some(({ mark }) => mark.seq === kept.store.seq);
  return (isLost ? 0 : 2) + (isKept ? 0 : 1);
}
