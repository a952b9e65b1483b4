/** Contents that stand for nothing of their own are left out of sets, and no exploration is another for it. */
import { expect, it } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { DistinctContents } from "../../src/crash/recovery-tree/distinct-contents.ts";
import type { TracePoints } from "../../src/crash/recovery-tree/index.ts";
import { Started, WaysJudge, WaysPlan } from "../../src/exploration/recovery-paths/index.ts";
import { compileGuest } from "../support/programs.ts";
import { explored, pool } from "./support.ts";

const seed = 16;
const program = compileGuest("bench/explore-hash.c", ["-O1", "-g", "-static"]);
/** Its lock has 32 stores for each key, and nobody flushes it. */
const { scene, plan, statistics } = explored([program, pool, "6"], { recover: [program, pool] });

/** By its definition: of those with equal bytes the first, the last, and the last without a torn store. */
function named(points: TracePoints, low: number, high: number): readonly number[] {
  const { cuts } = points.tables;
  const byBytes = new Map<string, number[]>();
  for (let content = low; content <= high; content++) {
    const key = points.bytes(content).join();
    byBytes.set(key, [...(byBytes.get(key) ?? []), content]);
  }
  const three = [...byBytes.values()].flatMap((all) => [
    all[0]!,
    all.at(-1)!,
    ...all.filter((content) => cuts[2 * content + 1] === 0).slice(-1),
  ]);
  return [...new Set(three)].sort((a, b) => a - b);
}

it(`names three of those with equal bytes, whatever was asked before (seed ${seed})`, () => {
  const { points } = new Started(scene.run, "px86", []).planned;
  const distinct = new DistinctContents(points);
  const long = Array.from({ length: points.lines }, (_, line) => line).filter((line) => {
    const [first, end] = points.contentsOf(line);
    return end - first > 128;
  });
  expect(long).toHaveLength(1);
  const [first, end] = points.contentsOf(long[0]!);
  const random = seedRandom(seed);
  for (let turn = 0; turn < 300; turn++) {
    const low = first + below(random, 3) * below(random, 40);
    const high = low + 64 + below(random, end - low - 64);
    expect(distinct.within(long[0]!, low, high)).toEqual(named(points, low, high));
  }
});

it("explores the same ways as with every content", () => {
  const started = new Started(scene.run, "px86", []);
  started.undisturbed(scene.subject, scene.judging.hangLimit);
  const nobody = { found: 0, reached: () => {}, isJudgedAnew: () => false, findings: () => [] };
  const limits = { maxExecutions: Number.POSITIVE_INFINITY };
  const all = new WaysPlan(scene, started, limits, { ...nobody, tellsStoresApart: true });
  const judge = new WaysJudge(all.setup, scene);
  for (let unit = all.next(8); unit !== undefined; unit = all.next(8))
    all.add(judge.judge(unit, undefined, () => false));
  expect(all.isAll).toBe(true);
  const lengths = ({ ends }: WaysPlan) => ends.map(({ instructions }) => instructions).sort((a, b) => a - b);
  expect(lengths(all)).toEqual(lengths(plan));
  const { points, jaaruExecutions, executions } = statistics;
  expect([points, jaaruExecutions, executions]).toEqual([15, "1186", 15]);
});
