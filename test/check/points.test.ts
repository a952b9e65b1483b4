/** The failure points that a check would judge, as a tree of calls. */
import { expect, it } from "vitest";
import { pointTreeText } from "../../src/report/render/index.ts";
import type { Frame } from "../../src/trace/events/index.ts";
import { runBlackout } from "../end-to-end/command.ts";
import { checkGuest, pool } from "./guests.ts";

const frame = (name: string, line: number): Frame => ({
  function: name,
  file: "/src/log.c",
  line,
  module: "/src/log",
  address: line,
  column: undefined,
  offset: 0,
  inlined: false,
});

it("has calls from the outermost on, and what each adds up to", () => {
  const at = (...lines: readonly number[]) => lines.map((line) => frame(`f${line}`, line));
  const text = pointTreeText([
    { frames: at(3, 2, 1), before: "clwb", states: 4 },
    { frames: at(3, 2, 1), before: "sfence", states: 1 },
    { frames: at(4, 1), before: "clwb", states: 2 },
  ]);
  expect(text.split("\n")).toEqual([
    "3 failure points, 7 crash states, by the calls that lead there:",
    "  f1 log.c:1: 3 failure points, 7 crash states",
    "    f2 log.c:2: 2 failure points, 5 crash states",
    "      f3 log.c:3, before clwb: 1 failure point, 4 crash states",
    "      f3 log.c:3, before sfence: 1 failure point, 1 crash state",
    "    f4 log.c:4, before clwb: 1 failure point, 2 crash states",
  ]);
});

it("is printed, and nothing is judged", () => {
  const { code, stdout } = runBlackout(["check", "--points", "--", checkGuest("array", "MISSING_FLUSH"), pool]);
  expect(code).toBe(0);
  const [first, second] = stdout.split("\n");
  expect(first).toMatch(/^\d+ failure points, \d+ crash states, by the calls/);
  expect(second).toMatch(/^ {2}main array\.c:\d+: \d+ failure points/);
});
