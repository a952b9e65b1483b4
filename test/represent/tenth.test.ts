/**
 * On longer runs whose invariants lie within objects that enclose or refer to each other, representatives find what exploration
 * finds, in a tenth of its recoveries and of its crash states. The tests take one; SEEDED=all takes them all.
 * The lengths matter, since exploration's recoveries grow with a run and those of representatives hardly do: the hash map's
 * CHANGE and UNLINK took 24 and 35 of 204 recoveries with 200 operations, the B+-tree whose mistake shows in neither 294 of 2360 with 300 keys.
 */
import { env } from "node:process";
import { expect, it } from "vitest";
import { exploreEngine } from "../../src/engines/index.ts";
import type { CrashEngine } from "../../src/session/work/index.ts";
import { compileGuest } from "../support/programs.ts";
import { finishedWays, pool, represented, untold } from "./support.ts";

/** Exploration is compared by what it has found within these: its recoveries and states would only become more. */
const limits = { maxExecutions: 3000 };

type Row = readonly [source: string, mistake: string, operations: number, inside: string];
const rows: readonly Row[] = [
  ["represent/ring.c", "EARLY", 200, "fill"],
  ["represent/buckets.c", "LINK", 400, "insert"],
  ["represent/buckets.c", "GROW", 400, "grow"],
  ["represent/buckets.c", "CHANGE", 400, "change"],
  ["represent/buckets.c", "UNLINK", 400, "take_out"],
];

it.each(env["SEEDED"] === "all" ? rows : rows.slice(0, 1))("%s %s", (source, mistake, operations, inside) => {
  const guest = compileGuest(source, ["-O1", "-g", "-static", `-DBUG_${mistake}`]);
  const { scene, plan, statistics } = represented([guest, pool, `${operations}`], { recover: [guest, pool] });
  const explore = exploreEngine(limits);
  explore.undisturbed(scene.subject, scene.run, scene.judging.hangLimit);
  const explored = finishedWays(explore as CrashEngine, scene);
  const findings = plan.findings();
  expect(untold(explored.findings(), findings)).toEqual([]);
  expect(untold(findings, explored.findings())).toEqual([]);
  const frames = findings.flatMap(({ frames: own, crash }) => [
    ...own,
    ...(crash?.elsewhere ?? []).flatMap((e) => e.frames),
  ]);
  expect(frames.map((frame) => frame.function)).toContain(inside);
  expect(10 * statistics.executions).toBeLessThanOrEqual(explored.extent.states);
  expect(10n * BigInt(statistics.crashStates)).toBeLessThanOrEqual(BigInt(statistics.yatStates));
});
