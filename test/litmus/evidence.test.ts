/** Every verdict of our own tests comes with evidence that holds up: a run that replays, or a cycle made of real edges. */
import { expect, test } from "vitest";
import {
  type Check,
  defaultOptions,
  drawExecution,
  drawingToDot,
  drawingToSvg,
  explainCycle,
  findExecution,
  findWitness,
  holds,
  judge,
  type LitmusTest,
  printTimeline,
  replay,
  runPhases,
} from "../../src/model/litmus/index.ts";
import {
  addRecoveryReads,
  hasPair,
  namedRelations,
  px86,
  recoveryNodes,
  relationNames,
  unjudgedOrder,
} from "../../src/model/pmem/index.ts";
import { ownTest, ownTests } from "./own-tests.ts";

function verifyWitness(litmus: LitmusTest, check: Check): void {
  const witness = findWitness(litmus, check, defaultOptions);
  expect(witness?.length, "a witness has every run").toBe(litmus.phases.length);
  let memory: readonly number[] = litmus.locations.map(({ initial }) => initial);
  for (const phase of witness ?? []) {
    expect(phase.machine.memory).toEqual(memory);
    const { crashes, final } = replay(phase);
    if (phase.recovered === undefined) {
      expect(holds(check.condition, final)).toBe(true);
      continue;
    }
    expect(crashes).toContainEqual(phase.recovered);
    memory = phase.recovered;
  }
  const last = witness?.at(-1);
  if (last?.recovered !== undefined)
    expect(holds(check.condition, { ...replay(last).final, recovered: last.recovered })).toBe(true);
  expect(printTimeline(litmus, witness ?? []).length).toBeGreaterThan(1);
}

function verifyReason(litmus: LitmusTest, check: Check): void {
  const execution = findExecution(litmus, check, defaultOptions);
  if (execution === undefined) return;
  const { graph, cuts, cycle } = execution;
  if (cycle === undefined) {
    expect(execution.incoherent, "a forbidden execution has a cycle or is incoherent").toBe(true);
    return;
  }
  const { order } = unjudgedOrder(graph, px86, recoveryNodes(litmus.locations.length));
  addRecoveryReads(order, graph.events.length, cuts);
  cycle.forEach((node, index) => {
    expect(hasPair(order, node, cycle[(index + 1) % cycle.length] as number)).toBe(true);
  });
  expect(explainCycle(litmus, execution, check.at)).toHaveLength(cycle.length);
}

test.each(ownTests.map((each) => [each.name, each] as const))("%s", (_name, litmus) => {
  const phases = runPhases(litmus, "operational", defaultOptions);
  for (const check of litmus.checks)
    if (judge(check, phases) === "ALLOWED") verifyWitness(litmus, check);
    else verifyReason(litmus, check);
});

test("the timeline of a lost store", () => {
  const litmus = ownTest("psan-figure-7-reader-persists-first");
  const witness = findWitness(litmus, litmus.checks[0] as Check, defaultOptions) ?? [];
  expect(printTimeline(litmus, witness)).toMatchInlineSnapshot(`
    [
      "      T0             T1",
      "   1  W x 1",
      "   2  FL x",
      "   3  ↳ x=1 visible",
      "   4                 R r x → 1",
      "   5                 W y r",
      "   6                 FL y",
      "   7                 ↳ y=1 visible",
      "   ⚡  the power fails",
      "      x: kept nothing, lost x=1",
      "      y: kept y=1, lost nothing",
      "      recovered x=0 y=1",
    ]
  `);
});

test("the reason why a flag cannot come without its data", () => {
  const litmus = ownTest("smt-figure-1-flag-after-data");
  const check = litmus.checks[0] as Check;
  const execution = findExecution(litmus, check, defaultOptions);
  if (execution === undefined) throw new Error("there is an execution to show");
  expect(explainCycle(litmus, execution, check.at)).toMatchInlineSnapshot(`
    [
      "ppo T0: W d 1 stays before T0: FL d (program order)",
      "fb  T0: FL d had completed, as what was recovered shows, so it comes before the recovery of d",
      "fr  the recovery of d does not find T0: W d 1: it was lost, so it came later",
    ]
  `);
  const relations = namedRelations(execution.graph, execution.cuts, px86);
  expect(Object.keys(relations)).toEqual([...relationNames]);
  expect(relations.ob.some(([from, to]) => from === to)).toBe(true);
});

test("drawings show every event and mark the cycle", () => {
  const litmus = ownTest("crossed-clflush");
  const execution = findExecution(litmus, litmus.checks[0] as Check, defaultOptions);
  if (execution === undefined) throw new Error("there is an execution to draw");
  const drawing = drawExecution(litmus, 'crossed "clflush" <1>', execution);
  expect(drawing.edges.filter(({ inCycle }) => inCycle)).toHaveLength(execution.cycle?.length ?? 0);
  const dot = drawingToDot(drawing);
  const svg = drawingToSvg(drawing);
  for (const { text } of execution.graph.events) {
    expect(dot).toContain(text);
    expect(svg).toContain(text);
  }
  expect(dot).toContain("color=red");
  expect(dot).toContain('digraph "crossed \\"clflush\\" <1>"');
  expect(svg).toContain("crossed &quot;clflush&quot; &lt;1&gt;");
  expect(svg.match(/<(svg|text|rect|path|marker|defs|style|title)\b/g)?.length).toBeGreaterThan(20);
});
