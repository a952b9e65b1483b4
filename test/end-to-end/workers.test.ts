/** Long checks as a user runs them: workers, being killed and going on, Ctrl-C, limits. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { below, type RandomState, seedRandom } from "../../src/base/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { inTemporaryDirectory, inTemporaryDirectoryLater, runBlackout, startBlackout } from "./command.ts";

const report = "report.json";
/** Every state runs, so that there is time to be killed in. */
const options = ["--no-memo", "--granularity", "store", "--all-points", "--format", "json", "--report", report];
const args = (...more: readonly string[]) => [
  "check",
  ...options,
  "--journal",
  "kept",
  ...more,
  "--",
  checkGuest("list", "LOST_ACK"),
  pool,
];
const reportIn = (directory: string) => readFileSync(join(directory, report), "utf8");
const journalBytes = (directory: string) =>
  statSync(join(directory, "kept/journal"), { throwIfNoEntry: false })?.size ?? 0;

let undisturbed = "";
beforeAll(() =>
  inTemporaryDirectory((directory) => {
    expect(runBlackout(args("-j", "1"), { cwd: directory }).code).toBe(1);
    undisturbed = reportIn(directory);
    expect(existsSync(join(directory, "kept"))).toBe(false);
  }),
);

/** Starts a check and sends it a signal a moment after it has journalled something. */
async function disturb(
  directory: string,
  signal: "SIGKILL" | "SIGINT",
  random: RandomState,
  ...more: readonly string[]
) {
  const before = journalBytes(directory);
  const { child, ended } = startBlackout(args(...more), directory);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over && journalBytes(directory) <= before) await setTimeout(5);
  await setTimeout(below(random, 200));
  child.kill(signal);
  return ended;
}

describe("a check", () => {
  it("says the same with two workers", () =>
    inTemporaryDirectory((directory) => {
      expect(runBlackout(args("-j", "2"), { cwd: directory }).code).toBe(1);
      expect(reportIn(directory)).toBe(undisturbed);
    }));

  it.each([1, 2])("that was killed goes on where it was, seed %i", (seed) =>
    inTemporaryDirectoryLater(async (directory) => {
      const random = seedRandom(seed);
      for (let kill = 0; kill < 2; kill++) await disturb(directory, "SIGKILL", random, "--resume", "-j", String(seed));
      expect(runBlackout(args("--resume", "-j", "1"), { cwd: directory }).code).toBe(1);
      expect(reportIn(directory)).toBe(undisturbed);
    }),
  );

  it("that is interrupted reports what it knows, and can go on", () =>
    inTemporaryDirectoryLater(async (directory) => {
      const { code, stderr } = await disturb(directory, "SIGINT", seedRandom(3), "-j", "1");
      expect(stderr).toMatch(/interrupted: \d+ of \d+ failure points/);
      expect(code).toBe(130);
      expect(JSON.parse(reportIn(directory)).coverage.stop).toBe("interrupt");
      const torn = join(directory, "kept/journal");
      writeFileSync(torn, readFileSync(torn, "utf8").slice(0, -3));
      expect(runBlackout(args("--resume", "-j", "1"), { cwd: directory }).code).toBe(1);
      expect(reportIn(directory)).toBe(undisturbed);
    }));

  it("of something else does not take the journal up", () =>
    inTemporaryDirectory((directory) => {
      expect(runBlackout(args("--max-states", "9"), { cwd: directory }).code).toBe(3);
      const other = runBlackout(args("--resume", "--expect-exit", "5"), { cwd: directory });
      expect(other).toMatchObject({ code: 2 });
      expect(other.stderr).toMatch(/journal in kept cannot be taken up again: the options are not the same/);
    }));
});
