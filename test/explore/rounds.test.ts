/**
 * Rounds that look at some of a point's crash states: they come to the ends that recovery comes to on each of these states,
 * run one by one, and to no others.
 */
import { describe, expect, it } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { type Held, PointRunner, type Round, type TracePoints } from "../../src/crash/recovery-tree/index.ts";
import { outcomeText } from "../../src/engines/index.ts";
import { Started, WaysJudge, WaysPlan, type WayWatcher } from "../../src/exploration/recovery-paths/index.ts";
import type { LeadScene } from "../../src/session/work/index.ts";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { compileGuest } from "../support/programs.ts";
import { explored, pool } from "./support.ts";

const seed = Number(process.env["SEED"] ?? 1);
/** A round with more states than that is left out here. */
const mostStates = 64;

/** Of a point's lines: each is open from one random content to another, or has every store. */
function randomRound(points: TracePoints, point: number, random: ReturnType<typeof seedRandom>): Round {
  const open = new Map<number, readonly [number, number]>();
  for (let line = 0; line < points.lines; line++) {
    const [low, high] = points.window(line, point);
    // Some begin before what a crash can leave, or end behind it.
    const any = () => low - 1 + below(random, high - low + 3);
    if (below(random, 3) > 0) open.set(line, [any(), any()]);
  }
  return { point, open };
}

function statesOf(points: TracePoints, { point, open }: Round): readonly (readonly Held[])[] {
  let states: readonly (readonly Held[])[] = [[]];
  for (const [line, [from, to]] of open!) {
    const [low, high] = points.window(line, point);
    const all = Array.from({ length: high - low + 1 }, (_, i) => low + i);
    const contents = all.filter((content) => content === high || (content >= from && content <= to));
    states = states.flatMap((held) => contents.map((content): readonly Held[] => [...held, [line, content]]));
    if (states.length > mostStates) return [];
  }
  return states;
}

/** By round, the ends that its states come to. */
function goneThrough(scene: LeadScene, started: Started, rounds: readonly Round[]) {
  const ends = new Map<Round, Set<string>>();
  const watcher: WayWatcher = {
    found: 0,
    reached: (leaf, _point, walker) => {
      const known = ends.get(walker.round!) ?? new Set<string>();
      ends.set(walker.round!, known.add(outcomeText(leaf.ended)));
    },
    isJudgedAnew: () => false,
    findings: () => [],
  };
  const plan = new WaysPlan(scene, started, { maxExecutions: Number.POSITIVE_INFINITY }, watcher, rounds);
  const judge = new WaysJudge(plan.setup, scene);
  for (let unit = plan.next(8); unit !== undefined; unit = plan.next(8))
    plan.add(judge.judge(unit, undefined, () => false));
  expect(plan.isAll).toBe(true);
  expect([plan.done, plan.extent.points]).toEqual([plan.items, rounds.length]);
  return ends;
}

const guest = (name: string, bug?: string) => ({ program: [checkGuest(name, bug), checkPool], commands: {} });
const figures = () => {
  const figure = compileGuest("explore/figures.c", ["-O1", "-g", "-static"]);
  const commands = { setup: [figure, "setup", pool], recover: [figure, "read-interval", pool] };
  return { program: [figure, "interval", pool], commands };
};

describe("a round comes to the ends of its states", () => {
  it.each([
    ["interval", figures],
    ["list", () => guest("list")],
    ["array MISSING_FLUSH", () => guest("array", "MISSING_FLUSH")],
    ["accounts LOST_UPDATE", () => guest("accounts", "LOST_UPDATE")],
    ["btree MISSING_FENCE", () => guest("btree", "MISSING_FENCE")],
  ])(`%s, seed ${seed}`, (_name, make) => {
    const { program, commands } = make();
    const { scene } = explored(program, commands, { maxExecutions: 1 });
    const started = new Started(scene.run, "px86", []);
    const { points } = started.planned;
    const random = seedRandom(seed);
    const rounds = Array.from({ length: 2 * points.count }, () =>
      randomRound(points, below(random, points.count), random),
    );
    const taken = rounds.filter((round) => statesOf(points, round).length > 0);
    const ends = goneThrough(scene, started, taken);
    const runner = new PointRunner(points, scene.versions, scene.subject.recovery().recovery, scene.judging.hangLimit);
    for (const round of taken) {
      const run = statesOf(points, round).map((held) => outcomeText(runner.run(round.point, held).ended));
      expect(ends.get(round)).toEqual(new Set(run));
    }
    expect(taken.length).toBeGreaterThan(1);
  });
});
