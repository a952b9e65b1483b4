/** A program that gets persistent memory from malloc: with a mistake, without it, and where there is no persistent memory at all. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { compileGuest } from "../support/programs.ts";
import { runBlackout } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-heap-"));
afterAll(() => rmSync(folder, { recursive: true }));

const flags = ["-O1", "-g"];
const right = compileGuest("heap/radix.c", flags);
const wrong = compileGuest("heap/radix.c", [...flags, "-DMISTAKE"]);
const allocations = compileGuest("heap/allocations.c", [...flags, "-pthread"]);

const run = (...args: readonly string[]) => runBlackout(args, { cwd: folder });
const heap = ["--pm-heap", "heap.pm:16M"];
const judged = (command: string, program: string, ...options: readonly string[]) =>
  run(command, "--no-journal", ...options, ...heap, "--recover", `${program} recover`, "--", program);

test.each(["check", "explore"])("%s finds a node that is linked before it is flushed", (command) => {
  const { code, stderr } = judged(command, wrong, "--witness", "witness.json");
  expect(code).toBe(1);
  expect(stderr.replaceAll(/\s+/g, " ")).toMatch(/a node at level \d was linked and is lost/);
  // The zeros that calloc stores are lost as well.
  expect(stderr.replaceAll(/\s+/g, " ")).toMatch(/radix\.c:24, in \.blackout-heap: lost: .*; with it line 25/);
  const again = run("replay", "witness.json");
  expect(again.code).toBe(1);
  expect(again.stdout).toContain("as recorded");
});

test.each(["check", "explore"])("%s finds nothing in the program without the mistake", (command) => {
  expect(judged(command, right, ...(command === "check" ? ["--no-rules"] : [])).code).toBe(0);
});

test("trace sees what the program does to its heap, and nothing of the heap's own", () => {
  const { code, stdout } = run(
    "trace",
    ...heap,
    "--pm-heap-fill",
    "0",
    "--pm",
    "/nowhere/*",
    "--log",
    "pmemcheck",
    "--",
    right,
  );
  expect(code).toBeLessThan(2);
  const stores = [...stdout.matchAll(/STORE;0x([0-9a-f]+)/g)].map(([, address]) => Number.parseInt(address!, 16));
  expect(stores.length).toBeGreaterThan(20);
  expect(stores.every((address) => address >= 0x4000_0000 && address < 0x4100_0000)).toBe(true);
  expect(stdout).not.toContain("heap.so");
});

test("zeros that a constructor stores and does not flush are lost, unless new memory happens to be zero", () => {
  const zeroed = compileGuest("heap/zeroed.c", flags);
  const { code, stderr } = judged("check", zeroed, "--no-rules");
  expect(code).toBe(1);
  expect(stderr).toContain("item->count");
  expect(judged("check", zeroed, "--no-rules", "--pm-heap-fill", "0").code).toBe(0);
});

test("outside, a root is memory like any other", () => {
  expect(execFileSync(right, { encoding: "utf8" })).toBe("6 keys\n");
  expect(run("run", "--", right).stdout).toBe("6 keys\n");
});

test("the malloc family gives what it promises, in threads too, and to the next run what the last one left", () => {
  expect(run("run", ...heap, "--", allocations)).toMatchObject({ code: 0, stdout: "fine\n" });
  const twice = ["--setup", `${allocations} first`, "--", allocations, "second"];
  expect(run("trace", "--disable", "transient-data", ...heap, ...twice).stdout).toMatch(/^fine\n/);
});

test.each([
  [
    "a static program",
    ["run", ...heap, "--", compileGuest("heap/radix.c", ["-O1", "-static"])],
    "is linked statically",
  ],
  ["a size that is too small", ["run", "--pm-heap", "heap.pm:4K", "--", right], "from 8M to 1G"],
  ["a fill that is no byte", ["run", ...heap, "--pm-heap-fill", "256", "--", right], "from 0 to 255"],
  ["a size that is too large", ["check", "--pm-heap", "heap.pm:2G", "--", right], "from 8M to 1G"],
])("%s is refused", (_what, args, says) => {
  const { code, stderr } = run(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(says);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
