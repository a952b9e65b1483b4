/** Every crash state that is tested is one of its point's own: exploration has it, and recovery ends alike. */
import { expect, it } from "vitest";
import type { Held } from "../../src/crash/recovery-tree/index.ts";
import {
  BehaviourRounds,
  exploreEngine,
  groupUpdates,
  KnownUpdates,
  outcomeText,
  selectTested,
} from "../../src/engines/index.ts";
import { Started, WaysJudge, WaysPlan, type WayWatcher } from "../../src/exploration/recovery-paths/index.ts";
import type { CrashEngine, LeadScene } from "../../src/session/work/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { checkGuests, seededMistakes } from "../check/seeded.ts";
import { sceneOf } from "../support/scene.ts";
import { finishedWays } from "./support.ts";

interface Reached {
  readonly point: number;
  readonly held: readonly Held[];
  readonly outcome: string;
}

/** All that is come to in testing what is selected. */
function testedStates(scene: LeadScene, started: Started): readonly Reached[] {
  const { planned } = started;
  const known = new KnownUpdates();
  const { groups, order } = groupUpdates(planned.source, scene.places, {
    platform: "px86",
    linked: true,
    complete: 0,
    known,
  });
  const { leaders, others } = selectTested(groups, true, known);
  const rounds = new BehaviourRounds(planned, order).of([...leaders, ...others].map(({ behaviour }) => behaviour));
  const reached: Reached[] = [];
  const watcher: WayWatcher = {
    found: 0,
    reached: (leaf, point, walker) => {
      reached.push({ point, held: walker.held(), outcome: outcomeText(leaf.ended) });
    },
    isJudgedAnew: () => false,
    findings: () => [],
  };
  const plan = new WaysPlan(scene, started, { maxExecutions: Number.POSITIVE_INFINITY }, watcher, rounds);
  const judge = new WaysJudge(plan.setup, scene);
  for (let unit = plan.next(64); unit !== undefined; unit = plan.next(64))
    plan.add(judge.judge(unit, undefined, () => false));
  return reached;
}

type Row = readonly [guest: string, mistake: string | undefined];
const sample: readonly Row[] = [
  ["undolog", "EARLY_COMMIT"],
  ["btree", "LOST_ACK"],
  ["locked", "UNLOCKED"],
];
const all: readonly Row[] = [
  ...sample,
  ...checkGuests.map((guest): Row => [guest, undefined]),
  ...seededMistakes.map(({ guest, mistake }): Row => [guest, mistake]),
];

it.each(process.env["SEEDED"] === "all" ? all : sample)("%s %s", (guest, mistake) => {
  const explore = exploreEngine();
  const scene = sceneOf([checkGuest(guest, mistake), pool], {}, explore.undisturbed);
  const explored = finishedWays(explore as CrashEngine, scene);
  const started = new Started(scene.run, "px86", []);
  const { points } = started.planned;
  const states = testedStates(scene, started);
  expect(states.length).toBeGreaterThan(1);
  for (const { point, held, outcome } of states) {
    const cuts = held.map(([line, content]) => {
      const cut = points.cut(content, points.window(line, point)[0]);
      return { line: { ...points.place(line) }, cut } as never;
    });
    const ended = explored.endOf(point, cuts);
    expect({ point, held, outcome: ended && outcomeText(ended) }).toEqual({ point, held, outcome });
  }
});
