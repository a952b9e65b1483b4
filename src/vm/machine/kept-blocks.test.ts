/** Kept blocks make a machine faster and nothing else: the twin is a machine that keeps none. */
import { describe, expect, test } from "vitest";
import { compileGuest, finish, loadGuest } from "../../../test/support/programs.ts";
import { Recorder } from "../../trace/index.ts";
import { KeptBlocks } from "./kept-blocks.ts";
import type { Lifting, MachineOptions } from "./machine.ts";

const counters = () => compileGuest("machine/counters.c", ["-O2", "-pthread"]);
const mixed = () => compileGuest("machine/mixed.c");
const rewriting = () => compileGuest("machine/rewriting.c");

/** As a file would carry them. */
const stored = (blocks: KeptBlocks): KeptBlocks => KeptBlocks.from(new Uint8Array(Buffer.concat(blocks.toParts())))!;
const keeping = (blocks: KeptBlocks): Partial<MachineOptions> => ({ keptBlocks: () => blocks });

describe.each([
  ["interpreted", { hotAfter: 0 }],
  ["compiled", { hotAfter: 300 }],
] as const)("%s", (_, tier) => {
  test.each([
    ["counters", counters],
    ["mixed", mixed],
    ["rewriting", rewriting],
  ])("%s runs the same with no blocks kept, with new ones and with those of an earlier run", (_, program) => {
    const alone = finish(loadGuest([program()], tier));
    const blocks = new KeptBlocks();
    expect(finish(loadGuest([program()], { ...tier, ...keeping(blocks) }))).toEqual(alone);
    expect(blocks.added).toBeGreaterThan(1000);
    expect(finish(loadGuest([program()], { ...tier, ...keeping(blocks) }))).toEqual(alone);
    const later = stored(blocks);
    expect(finish(loadGuest([program()], { ...tier, ...keeping(later) }))).toEqual(alone);
    expect(later.added).toBe(0);
  });
});

test("code of which there are more kinds than are kept is translated each time", () => {
  const blocks = new KeptBlocks();
  finish(loadGuest([rewriting()], keeping(blocks)));
  expect(blocks.refused).toBeGreaterThan(0);
});

test("blocks of another program are taken only where their code is there too", () => {
  const alone = finish(loadGuest([mixed()]));
  const blocks = new KeptBlocks();
  finish(loadGuest([counters()], keeping(blocks)));
  const foreign = stored(blocks);
  expect(finish(loadGuest([mixed()], keeping(foreign)))).toEqual(alone);
  expect(foreign.added).toBeGreaterThan(0);
});

test("a kept block does not run past an address to stop at", () => {
  const blocks = new KeptBlocks();
  finish(loadGuest([mixed()], keeping(blocks)));
  const { machine } = loadGuest([mixed()], keeping(blocks));
  const main = machine.symbol("main")!;
  machine.stopAt([main]);
  expect(machine.run()).toEqual({ kind: "address", address: main });
  machine.run(2);
  const inside = Number(machine.cpu.rip);
  const again = loadGuest([mixed()], keeping(blocks)).machine;
  again.stopAt([inside]);
  expect(again.run()).toEqual({ kind: "address", address: inside });
});

test("each way of lifting has blocks of its own", () => {
  const asked: Lifting[] = [];
  const keptBlocks = (lifting: Lifting) => {
    asked.push(lifting);
    return new KeptBlocks();
  };
  const recorder = () => new Recorder([]);
  loadGuest([mixed()], { keptBlocks });
  loadGuest([mixed()], { keptBlocks, trace: { recorder: recorder(), annotations: false } });
  loadGuest([mixed()], { keptBlocks, trace: { recorder: recorder(), annotations: true } });
  expect(asked).toEqual(["plain", "traced", "annotated"]);
});

test("bytes that hold no blocks are refused", () => {
  expect(KeptBlocks.from(new Uint8Array(8))).toBeUndefined();
  expect(KeptBlocks.from(new Uint8Array(64).fill(7))).toBeUndefined();
});
