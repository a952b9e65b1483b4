/** Loops that never end are stopped early, and only those; the answer is the one that the limit gives. */
import { describe, expect, it } from "vitest";
import { runUnlessEndless } from "../../src/crash/states/index.ts";
import { compileGuest, loadGuest } from "../support/programs.ts";

const program = () => compileGuest("programs/loops.c", ["-O1", "-static"]);
const limit = 8_000_000;
/** Where looking takes longer than going on. */
const small = 4_000_000;

const twins = (kind: string) => {
  const [quick, slow] = [loadGuest([program(), kind]), loadGuest([program(), kind])];
  const results = { quick: runUnlessEndless(quick.machine, limit), slow: slow.machine.run(limit) };
  return { ...results, instructions: quick.machine.instructions, slowInstructions: slow.machine.instructions };
};

describe("a loop that comes back to where it was", () => {
  it.each(["spin", "yield", "toggle"])("%s", (kind) => {
    const { quick, slow, instructions } = twins(kind);
    expect(quick).toEqual(slow);
    expect(quick.kind).toBe("limit");
    expect(instructions).toBe(limit / 16);
  });
});

it("is not looked for where the limit is near", () => {
  const { machine } = loadGuest([program(), "spin"]);
  expect(runUnlessEndless(machine, small).kind).toBe("limit");
  expect(machine.instructions).toBe(small);
});

describe("a loop that does not", () => {
  it.each([
    ["count", "ended"],
    ["clock", "ended"],
    ["grow", "limit"],
  ])("%s", (kind, end) => {
    const { quick, slow, instructions, slowInstructions } = twins(kind);
    expect(quick).toEqual(slow);
    expect(quick.kind).toBe(end);
    expect(instructions).toBe(slowInstructions);
  });
});
