/** Power cuts inside recoveries: PSan's Figure 8, and what is none of it. */
import { env } from "node:process";
import { expect, it } from "vitest";
import { below, type RandomState, seedRandom } from "../../src/base/index.ts";
import type { Finding } from "../../src/crash/finding/index.ts";
import { robustChainsEngine } from "../../src/engines/index.ts";
import type { SubjectOptions } from "../../src/session/subject/index.ts";
import type { CrashEngine } from "../../src/session/work/index.ts";
import { interpreted, ofRecovery } from "../explore/random-programs.ts";
import { compileGuest } from "../support/programs.ts";
import { finishedPlan, sceneOf } from "../support/scene.ts";
import { judgeChains } from "./chain-states.ts";
import { drawnReader, judgedRobust, pool } from "./support.ts";

const figures = compileGuest("robust/figures.c", ["-O1", "-g", "-static"]);

const commandsOf = (name: string) => ({
  setup: [figures, "setup", pool],
  recover: [figures, `read-${name}`, pool],
});
const judged = (name: string, depth: number) => chainsOf([figures, name, pool], commandsOf(name), depth);

function chainsOf(program: readonly string[], commands: Partial<SubjectOptions>, depth: number) {
  const engine = robustChainsEngine(depth);
  const scene = sceneOf(program, { meetings: true, ...commands }, () => undefined);
  const findings = finishedPlan(engine as CrashEngine, scene).findings(new Set());
  const pairs = findings.map(({ rule, order }) =>
    [rule.severity, ...[order!.missing, order!.kept].map((store) => `${store.name}=${store.mark.value}`)].join(" "),
  );
  return { pairs, findings, statistics: engine.statistics()! };
}

it("Figure 8 is violated only through the third execution", () => {
  expect(judged("fig8", 1).pairs).toEqual([]);
  const { pairs, findings } = judged("fig8", 2);
  expect(pairs).toEqual(["error pm->x.value=1 pm->y.value=1"]);
  expect(findings[0]!.says).toContain("it takes 2 power cuts, the second inside recovery");
  expect(findings[0]!.order!.fix!.inserts.map(({ op }) => op)).toEqual(["flush", "fence"]);
});

it.each(["fig8-fixed", "fig8-late"])("%s is robust", (name) => {
  expect(judged(name, 2).pairs).toEqual([]);
});

it("stores that recovery itself does not put in order", () => {
  expect(judged("fig8-own", 1).pairs).toEqual([]);
  const { pairs, findings } = judged("fig8-own", 2);
  expect(pairs).toEqual(["error pm->page.count=1 pm->z.value=1"]);
  expect(findings[0]!.frames[0]!.function).toBe("read_fig8_own");
});

/** Rules of what is found. */
const rulesOf = (findings: readonly Finding[]) => [...new Set(findings.map(({ rule }) => rule.id))];

it.each(["fig2", "torn", "again"])("%s with one crash: as on the tree", (name) => {
  const onTree = judgedRobust([figures, name, pool], commandsOf(name));
  const { findings, statistics } = judged(name, 1);
  expect([rulesOf(findings), statistics.violating]).toEqual([rulesOf(onTree.findings), onTree.statistics.violating]);
});

it("random programs with one crash: as on the tree", () => {
  let violating = 0;
  for (let number = 34; number < 36; number++) {
    const { program, commands, told } = drawnReader(number);
    const onTree = ofRecovery(told, () => judgedRobust(program, commands));
    if (onTree === undefined || onTree.states > 100n) continue;
    const findings = chainsOf(program, commands, 1).findings;
    expect(rulesOf(findings).length > 0, told).toBe(onTree.findings.length > 0);
    if (findings.length > 0) violating++;
  }
  expect(violating).toBeGreaterThan(0);
});

/** ROBUST_SEED and ROBUST_CHAINS go on with others (`make fuzz`). */
const seed = Number(env["ROBUST_SEED"] ?? 10);
const programs = Number(env["ROBUST_CHAINS"] ?? 3);
const mostStates = 8;

/** Stores that persist whole, of few places, in the program and in its recovery. */
function drawnChain(random: RandomState) {
  const place = () => (64 * below(random, 2) + 8 * below(random, 2)).toString(16);
  const drawn = (count: number, operations: readonly (() => string)[]) =>
    Array.from({ length: count }, () => operations[below(random, operations.length)]!()).join(" ");
  const value = () => (1 + below(random, 9)).toString(16);
  const store = () => `q${place()}=${value()}`;
  const read = () => `q${place()}`;
  const run = drawn(2 + below(random, 3), [store, store, store, store, () => `k${place()} s`]);
  const stored = () => `Q${place()}`;
  const recover = drawn(3 + below(random, 4), [read, read, stored, stored, () => `!${place()}`, () => "?1"]);
  return { run, recover: `${recover} q48 q0 q40 q8` };
}

it(`${programs} random programs from seed ${seed} on, with two crashes: chain by chain as the definition says`, {
  timeout: 2 ** 31 - 1,
}, () => {
  const counts = { robust: 0, violating: 0 };
  for (let number = seed; counts.robust + counts.violating < programs; number++) {
    const { run, recover } = drawnChain(seedRandom(number));
    const told = `program ${number}: run "${run}", recover "${recover}"`;
    const commands = { setup: [interpreted, "setup", pool], recover: [interpreted, "recover", pool, recover] };
    const engine = robustChainsEngine(2);
    const scene = ofRecovery(told, () =>
      sceneOf([interpreted, "run", pool, run], { meetings: true, ...commands }, () => undefined),
    );
    if (scene === undefined) continue;
    const plan = engine.plan(scene, { maxItems: Number.POSITIVE_INFINITY, isTimed: false });
    if (plan.items === 0 || plan.items > mostStates) continue;
    const result = engine.start(plan.setup, scene).judge({ from: 0, to: plan.items }, undefined, () => false);
    const violating = new Set(result.pairs.map(({ steps }) => JSON.stringify(steps))).size;
    const twin = judgeChains(scene);
    expect([result.tested, violating], told).toEqual([twin.recoveries, twin.violating]);
    counts[violating > 0 ? "violating" : "robust"]++;
  }
  // Neither answer is so rare that agreeing on it would be luck.
  expect(Math.min(counts.robust, counts.violating)).toBeGreaterThanOrEqual(programs / 10);
});
