/** `blackout run --stats`: one line of JSON on stderr, beside what the program itself writes. */
import { expect, test } from "vitest";
import { runBlackout } from "./command.ts";

const run = (...options: readonly string[]) => runBlackout(["run", "--stats", ...options, "--", "/bin/echo", "hello"]);

test("tells instructions, seconds by phase, regions and peak memory", () => {
  const { code, stdout, stderr } = run();
  expect({ code, stdout, lines: stderr.trim().split("\n").length }).toEqual({ code: 0, stdout: "hello\n", lines: 1 });
  const stats = JSON.parse(stderr);
  expect(Object.keys(stats)).toEqual(["instructions", "seconds", "regions", "peakGuestBytes"]);
  expect(Object.keys(stats.seconds)).toEqual(["start", "decode", "lift", "compile", "run", "total"]);
  expect(stats.instructions).toBeGreaterThan(10_000);
  expect(stats.peakGuestBytes).toBeGreaterThan(1 << 20);
});

test("counts the same instructions interpreted as compiled", () => {
  expect(JSON.parse(run("--no-jit").stderr).instructions).toBe(JSON.parse(run().stderr).instructions);
});
