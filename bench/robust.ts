/** Judging the order of stores: what it costs beside the same executions without it, and random executions a second. */
import { pathToFileURL } from "node:url";
import { robustEngine } from "../src/engines/index.ts";
import { RobustWatch } from "../src/engines/robust/watch.ts";
import { Started, WaysJudge, WaysPlan, type WayWatcher } from "../src/exploration/recovery-paths/index.ts";
import type { LeadScene } from "../src/session/work/index.ts";
import { checkGuest, pool } from "../test/check/guests.ts";
import { sceneOf } from "../test/support/scene.ts";
import { geometricMean, table } from "./figures.ts";
import { figure } from "./history.ts";

const rows = [
  ["btree", undefined],
  ["btree", "MISSING_FENCE"],
  ["hashmap", "MISSING_FLUSH"],
  ["allocator", "SHORT_FLUSH"],
  ["redolog", undefined],
  ["redolog", "LOST_ACK"],
  ["ringlog", undefined],
  ["ringlog", "MISSING_FENCE"],
] as const;
/** Each is judged so often; the quickest counts. */
const turns = 3;
/** As many as `--executions` draws where nobody says how many. */
const executions = 10_000;

const nobody: WayWatcher = { found: 0, reached: () => {}, isJudgedAnew: () => false, findings: () => [] };

function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function explored(scene: LeadScene, watch: (started: Started) => WayWatcher): number {
  const started = new Started(scene.run, "px86", []);
  started.undisturbed(scene.subject, scene.judging.hangLimit);
  const plan = new WaysPlan(scene, started, { maxExecutions: Number.POSITIVE_INFINITY }, watch(started));
  const judge = new WaysJudge(plan.setup, scene);
  return cpuSeconds(() => {
    for (let unit = plan.next(64); unit !== undefined; unit = plan.next(64))
      plan.add(judge.judge(unit, undefined, () => false));
  });
}

interface ChanceTimes {
  /** Of the recoveries alone, and of what is made of their reads. */
  readonly runs: number;
  readonly judging: number;
}

/** The same executions with judging off are the recoveries without what is made of them. */
function byChance(scene: LeadScene): ChanceTimes {
  const engine = robustEngine({ executions });
  engine.undisturbed(scene.subject, scene.run, scene.judging.hangLimit);
  const plan = engine.plan(scene, { maxItems: Number.POSITIVE_INFINITY, isTimed: false });
  const judge = engine.start(plan.setup, scene);
  let [runs, judging] = [0, 0];
  for (;;) {
    let unit: ReturnType<typeof plan.next>;
    let result: ReturnType<typeof judge.judge>;
    runs += cpuSeconds(() => {
      unit = plan.next(64);
      if (unit !== undefined) result = judge.judge(unit, undefined, () => false);
    });
    if (unit === undefined) return { runs, judging };
    judging += cpuSeconds(() => plan.add(result));
  }
}

const quickest = (measure: () => number): number => Math.min(...Array.from({ length: turns }, measure));

function row([guest, bug]: (typeof rows)[number]) {
  const engine = robustEngine({ executions });
  const scene = sceneOf([checkGuest(guest, bug), pool], {}, engine.undisturbed);
  // What is compiled on the way is nobody's cost.
  explored(scene, () => nobody);
  const off = quickest(() => explored(scene, () => nobody));
  const on = quickest(() => explored(scene, ({ planned }) => new RobustWatch(scene, planned, [])));
  const chance = Array.from({ length: turns }, () => byChance(scene)).reduce((a, b) =>
    a.runs + a.judging < b.runs + b.judging ? a : b,
  );
  const inAll = chance.runs + chance.judging;
  const name = bug === undefined ? guest : `${guest} ${bug}`;
  return { name, off, on, rate: executions / inAll, randomRatio: inAll / chance.runs };
}

export async function robustBench(): Promise<string> {
  const measured = rows.map(row);
  const ratios = measured.map(({ on, off }) => on / off);
  const cells = measured.map(({ name, off, on, rate, randomRatio }) => [
    name,
    `${off.toFixed(2)} s`,
    `${(on / off).toFixed(2)}×`,
    `${Math.round(rate)}`,
    `${randomRatio.toFixed(2)}×`,
  ]);
  const mean = figure("order judged, geometric mean", geometricMean(ratios), "×", { most: 1.5 });
  const worst = figure("order judged, at worst", Math.max(...ratios), "×", { most: 3 });
  const least = figure("random executions, the fewest", Math.min(...measured.map(({ rate }) => rate)), "/s", {
    least: 300,
  });
  const random = figure(
    "random executions judged, geometric mean",
    geometricMean(measured.map(({ randomRatio }) => randomRatio)),
    "×",
    { most: 1.1 },
  );
  return [
    "## Robustness",
    "",
    table(["guest", "every way, not judged", "judged", "random executions a second", "judged"], cells),
    "",
    `Judged against not: ${mean} in the geometric mean, ${worst} at worst. Random executions: at least ${least}; judged, ${random} of the same recoveries alone in the geometric mean.`,
  ].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${await robustBench()}\n`);
