/** Power cuts inside recoveries: PSan's Figure 8, and what is none of it. */
import { expect, it } from "vitest";
import { robustChainsEngine } from "../../src/engines/index.ts";
import type { Finding } from "../../src/finding/index.ts";
import type { SubjectOptions } from "../../src/subject/index.ts";
import type { CrashEngine } from "../../src/work/index.ts";
import { ofRecovery } from "../explore/random-programs.ts";
import { compileGuest } from "../support/programs.ts";
import { finishedPlan, sceneOf } from "../support/scene.ts";
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
  for (let seed = 34; seed < 38; seed++) {
    const { program, commands, told } = drawnReader(seed);
    const onTree = ofRecovery(told, () => judgedRobust(program, commands));
    if (onTree === undefined || onTree.states > 100n) continue;
    const findings = chainsOf(program, commands, 1).findings;
    expect(rulesOf(findings).length > 0, told).toBe(onTree.findings.length > 0);
    if (findings.length > 0) violating++;
  }
  expect(violating).toBeGreaterThan(0);
});
