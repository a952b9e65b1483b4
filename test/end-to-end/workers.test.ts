/** Long checks as a user runs them: workers, Ctrl-C, limits. Being killed and going on: test/journal. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { checkGuest, pool } from "../check/guests.ts";
import { compileGuest } from "../support/programs.ts";
import {
  inTemporaryDirectory,
  inTemporaryDirectoryLater,
  runBlackout,
  startBlackout,
  withoutDirectory,
} from "./command.ts";

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
const reportIn = (directory: string) => withoutDirectory(readFileSync(join(directory, report), "utf8"), directory);
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

/** Starts a check and sends it signals, one right after another, once it has journalled something. */
async function disturb(command: readonly string[], directory: string, ...signals: readonly NodeJS.Signals[]) {
  const before = journalBytes(directory);
  const { child, ended } = startBlackout(command, directory);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over && journalBytes(directory) <= before) await setTimeout(5);
  for (const signal of signals) {
    child.kill(signal);
    // Two that are pending at once are one to the kernel already.
    await setTimeout(20);
  }
  return ended;
}

describe("a check", () => {
  it("says the same with two workers", () =>
    inTemporaryDirectory((directory) => {
      expect(runBlackout(args("-j", "2"), { cwd: directory }).code).toBe(1);
      expect(reportIn(directory)).toBe(undisturbed);
    }));

  it("says the same with two workers where files change beside persistent memory", () =>
    inTemporaryDirectory((directory) => {
      const [one, two] = ["1", "2"].map((jobs) => {
        const recover = ["--oracle", "output", "-j", jobs];
        const { code } = runBlackout(["check", ...options, ...recover, "--", checkGuest("beside", undefined), pool], {
          cwd: directory,
        });
        return { code, report: reportIn(directory) };
      });
      expect(two).toEqual(one);
    }));

  it("that is interrupted reports what it knows", () =>
    inTemporaryDirectoryLater(async (directory) => {
      const map = compileGuest("bench/check-hash.c", ["-O1", "-g", "-static"]);
      const recover = ["--recover", `${map} map`];
      const command = ["check", ...options, "--journal", "kept", "-j", "1", ...recover, "--", map, "map", "3000"];
      const { code, stderr } = await disturb(command, directory, "SIGINT");
      expect(stderr).toMatch(/interrupted: \d+ of \d+ failure points/);
      expect(code).toBe(130);
      expect(JSON.parse(reportIn(directory)).coverage.stop).toBe("interrupt");
    }));

  it("that timeout(1) ends, which signals the command and then its group, reports what it knows", () =>
    inTemporaryDirectoryLater(async (directory) => {
      const map = compileGuest("bench/check-hash.c", ["-O1", "-g", "-static"]);
      const recover = ["--recover", `${map} map`];
      const command = ["check", ...options, "--journal", "kept", "-j", "1", ...recover, "--", map, "map", "3000"];
      const { code, stderr } = await disturb(command, directory, "SIGTERM", "SIGTERM");
      expect(stderr).toMatch(/interrupted: \d+ of \d+ failure points/);
      expect(code).toBe(130);
    }));

  it("of something else does not take the journal up", () =>
    inTemporaryDirectory((directory) => {
      expect(runBlackout(args("--max-states", "9"), { cwd: directory }).code).toBe(3);
      const other = runBlackout(args("--resume", "--expect-exit", "5"), { cwd: directory });
      expect(other).toMatchObject({ code: 2 });
      expect(other.stderr).toMatch(/journal in kept cannot be taken up again: the options are not the same/);
    }));
});
