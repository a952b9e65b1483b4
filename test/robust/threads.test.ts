/** What orders stores of different threads: each way to hand over, with what it lacks found and without it no alarm. */
import { describe, expect, it } from "vitest";
import { fixPoint, verifyFixes } from "../../src/engines/index.ts";
import type { Patch } from "../../src/machine/index.ts";
import { compileGuest } from "../support/programs.ts";
import { type Judged, judgedRobust, pairTexts, pool } from "./support.ts";

const guest = compileGuest("robust/threads.c", ["-O1", "-g", "-static", "-pthread"]);
const commands = { setup: [guest, "setup", pool], recover: [guest, "read", pool] };
const judged = (name: string, more: object = {}) => judgedRobust([guest, name, pool], { ...commands, ...more });
const insertsOf = ({ findings }: Judged) => findings.map(({ order }) => order!.fix!.inserts.map(({ op }) => op));

it("Figure 6: stores of two threads that nothing orders may persist in any order", () => {
  const { statistics, findings } = judged("fig6");
  expect(statistics.executions).toBe(4);
  expect(findings).toEqual([]);
});

it.each(["start", "hand-over"])("%s orders them", (name) => {
  expect(pairTexts(judged(name))).toEqual(["x=1 y=1"]);
});

it("a thread that was not joined orders nothing", () => {
  const { statistics, findings } = judged("detached");
  expect(statistics.executions).toBe(4);
  expect(findings).toEqual([]);
});

/** A lock that a locked operation releases, and the end of a thread, are its fence; a plain store is none. */
describe.each([
  ["mutex", ["flush"]],
  ["spinlock", ["flush", "fence"]],
  ["flag", ["flush", "fence"]],
  ["third", ["flush", "fence"]],
  ["join", ["flush"]],
])("%s", (name, inserts) => {
  it("hands over what is persisted", () => {
    expect(judged(name).findings).toEqual([]);
  });
  it("or what is not, which its own thread has to see to", async () => {
    const late = judged(`${name}-late`);
    expect(pairTexts(late)).toEqual(["x=1 y=1"]);
    expect(insertsOf(late)).toEqual([inserts]);
    const foundWith = async (patches: readonly Patch[]) => judged(`${name}-late`, { patches }).findings;
    const [finding] = await verifyFixes(late.findings, foundWith);
    expect(finding!.order!.fix).toMatchObject({ verified: true });
    expect(finding!.order!.fix!.reads).toBeUndefined();
  });
});

describe("Figure 7", () => {
  /** The first schedule by chance that shows it: one that stops the first thread between its store and its flush. */
  const shown = (name: string, most: number) => {
    for (let seed = 0; seed < most; seed++) {
      const found = judged(name, { schedule: { seed } });
      if (found.findings.length > 0) return { seed, found };
    }
    return undefined;
  };
  it("is found, and the fix is in the thread that reads x, since the one that stores it has no time", async () => {
    const { seed, found } = shown("fig7", 100)!;
    expect(pairTexts(found)).toEqual(["x=1 y=1"]);
    const [{ order }] = found.findings as [(typeof found.findings)[number]];
    expect(order!.fix!.reads).toBe(true);
    expect(order!.fix!.inserts.every(({ after }) => after.mark.thread === order!.kept.mark.thread)).toBe(true);
    expect(insertsOf(found)).toEqual([["flush", "fence"]]);
    const foundWith = async (patches: readonly Patch[]) => judged("fig7", { patches, schedule: { seed } }).findings;
    expect((await fixPoint(found.findings, foundWith)).left).toEqual([]);
  });
  it("a flush before the load cures nothing", () => {
    expect(pairTexts(shown("fig7-badfix", 100)!.found)).toEqual(["x=1 y=1"]);
  });
  it("one after it does", () => {
    expect(shown("fig7-fixed", 3)).toBeUndefined();
  });
});
