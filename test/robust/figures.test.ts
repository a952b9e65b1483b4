/** PSan's figures as binaries: verdicts, pairs and how many executions there are, as its text says. */
import { describe, expect, it } from "vitest";
import type { RobustOptions } from "../../src/engines/index.ts";
import { compileGuest } from "../support/programs.ts";
import { judgedRobust, pairTexts, pool } from "./support.ts";

const figures = compileGuest("robust/figures.c", ["-O1", "-g", "-static"]);
const judgedFigure = (name: string, options: RobustOptions = {}) =>
  judgedRobust(
    [figures, name, pool],
    { setup: [figures, "setup", pool], recover: [figures, `read-${name}`, pool] },
    options,
  );

type Expected = readonly [executions: number, violating: number, pairs: readonly string[]];

it.each<readonly [string, Expected]>([
  ["fig1", [2, 0, []]],
  ["fig2", [9, 4, ["x=1 y=1", "x=1 y=2", "x=2 y=2", "y=1 x=2"]]],
  ["fig4", [12, 6, ["x=1 y=2", "x=1 y=4", "x=3 y=4", "y=2 x=3", "y=2 x=5", "y=4 x=5"]]],
  ["fig4-fixed", [6, 0, []]],
  // A line that is persisted bounds the crash as one that is kept by chance does.
  ["persisted", [4, 1, ["z=1 x=1"]]],
])("%s", (name, expected) => {
  const judged = judgedFigure(name);
  const { executions, violating, openStates } = judged.statistics;
  expect(openStates).toBe(0);
  expect([executions, violating, pairTexts(judged)]).toEqual(expected);
  for (const { rule } of judged.findings) expect(rule.id).toBe("not-robust");
});

it("pieces of one store are not ordered, whatever lines they lie on", () => {
  const { statistics, findings } = judgedFigure("torn");
  expect(statistics.executions).toBe(4);
  expect(findings).toEqual([]);
});

describe("needs no flush (section 1.1)", () => {
  it.each(["successor", "several", "unfenced", "scratch", "locked"])("%s", (name) => {
    const { statistics, findings } = judgedFigure(name);
    expect(statistics.executions).toBeGreaterThan(1);
    expect(findings).toEqual([]);
  });
});

it("by store: where another crash shows the same values, it is a warning", () => {
  const judged = judgedFigure("again");
  expect(pairTexts(judged)).toEqual(["x=1 y=1", "y=1 x=0"]);
  expect(judged.findings.map(({ rule, order }) => [rule.id, rule.severity, order!.sameValues])).toEqual([
    ["not-robust-same-values", "warning", true],
    ["not-robust-same-values", "warning", true],
  ]);
});

it("stores of one field in one function are one finding", () => {
  const { findings } = judgedFigure("fig2");
  expect(findings.map(({ order }) => [order!.missing.name, 1 + order!.others.length])).toEqual([
    ["pm->x.value", 3],
    ["pm->y.value", 1],
  ]);
});

it("a checksum that torn data passes lets recovery read it", () => {
  const judged = judgedFigure("weak-checksum");
  expect(judged.findings.some(({ rule }) => rule.severity === "error")).toBe(true);
  expect(pairTexts(judged)).toContain("x=2 y=1");
});

it("two fields that would fit into one line are told to be misaligned", () => {
  const { findings } = judgedFigure("alignment");
  expect(findings.map(({ order }) => [order!.missing.name, order!.kept.name, order!.object])).toEqual([
    ["pm->page.count", "pm->page.entry", { name: "pm->page", lies: "misaligned" }],
  ]);
});

describe("a record that a checksum guards", () => {
  const guest = compileGuest("explore/checksum.c", ["-O1", "-g", "-static"]);
  const commands = { setup: [guest, "setup", pool], recover: [guest, "recover", pool] };
  const look = (options: RobustOptions) => judgedRobust([guest, "run", pool], commands, options);
  it("is robust when its checksum is known to be one", () => {
    const { statistics, findings } = look({ checksums: ["checksum"] });
    expect(statistics.openStates).toBe(0);
    expect(findings).toEqual([]);
  });
  it("is not otherwise", () => {
    expect(look({ maxExecutions: 300 }).findings).not.toEqual([]);
  });
});

describe("what is not minded", () => {
  it.each([
    ["x.value", 0],
    ["0x0+8", 0],
    ["alue", 4],
  ])("%s leaves %i pairs of Figure 2", (what, pairs) => {
    expect(judgedFigure("fig2", { ignore: [what] }).pairs).toHaveLength(pairs);
  });
  it("by chance, too", () => {
    expect(judgedFigure("fig2", { ignore: ["pm->y.value"], executions: 30 }).pairs).toEqual([]);
  });
  it("nothing is told to be nothing", () => {
    expect(() => judgedFigure("fig2", { ignore: ["0x40+0"] })).toThrow("--ignore 0x40+0 is no bytes");
  });
});
