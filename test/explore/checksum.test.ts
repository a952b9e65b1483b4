/** A record that a checksum guards takes recoveries in proportion to its lines, not to their combinations. */
import { env } from "node:process";
import { expect, it } from "vitest";
import { runBlackout } from "../end-to-end/command.ts";
import { compileGuest } from "../support/programs.ts";
import { explored, pool } from "./support.ts";

const guest = compileGuest("explore/checksum.c", ["-O1", "-g", "-static"]);
const annotated = compileGuest("explore/checksum.c", ["-O1", "-g", "-static", "-DINLINED", "-DANNOTATED"]);
const look = (recover: string, checksums: readonly string[], maxExecutions: number, findsChecksums = false) =>
  explored(
    [guest, "run", pool],
    { setup: [guest, "setup", pool], recover: [guest, recover, pool] },
    { checksums, maxExecutions, findsChecksums },
  );

it("is clean", () => {
  const { plan, statistics } = look("recover", ["checksum"], 5000);
  expect(plan.findings()).toEqual([]);
  const { openStates, executions } = statistics;
  expect(openStates).toBe(0);
  // In proportion to the stores, 32 lines of eight each, with the sum there or not.
  expect(executions).toBeLessThan(3 * 32 * 8);
});

it("unless recovery uses what it says is wrong", () => {
  const { plan, statistics } = look("careless", ["checksum"], 5000);
  expect(plan.findings()).toHaveLength(1);
  expect(statistics.openStates).toBe(0);
});

it("without the option, it has no end", () => {
  expect(look("recover", [], 500).statistics.openStates).toBeGreaterThan(0);
});

it("a function that is not there is the user's mistake", () => {
  expect(() => look("recover", ["checksumm"], 10)).toThrow("The recovery has no function checksumm");
});

it("is found without being named", () => {
  const { plan, statistics, checksums } = look("recover", [], 5000, true);
  expect(plan.findings()).toEqual([]);
  expect(statistics.openStates).toBe(0);
  expect(statistics.executions).toBeLessThan(3 * 32 * 8);
  expect(checksums).toEqual(["checksum"]);
  expect(look("careless", [], 5000, true).plan.findings()).toHaveLength(1);
});

it.runIf(env["SEEDED"] === "all")(
  "libpmemobj's own is found where a recovery takes it over an undo log",
  () => {
    const snapshot = compileGuest("explore/snapshot.c", ["-O1", "-g", "-lpmemobj"]);
    const of = (what: string) => [snapshot, what, pool];
    const commands = { setup: of("setup"), recover: of("recover") };
    const { plan, statistics, checksums } = explored(of("run"), commands, { maxExecutions: 2000 });
    expect(checksums).toEqual([expect.stringMatching(/^libpmemobj\.so\.[\d.]+\+0x[\da-f]+$/)]);
    expect([plan.findings(), statistics.openStates]).toEqual([[], 0]);
  },
  600_000,
);

it("check looks for it too, and says what it assumes", () => {
  const commands = ["--setup", `${guest} setup ${pool}`, "--recover", `${guest} recover ${pool}`];
  const { code, stderr } = runBlackout(["check", "--no-journal", "--no-rules", ...commands, "--", guest, "run", pool]);
  expect(stderr).toMatch(/explored every crash state of the run, in \d+ recoveries, assuming checksum has no/);
  expect(code).toBe(0);
});

it("is known by an annotation", () => {
  const commands = { setup: [annotated, "setup", pool], recover: [annotated, "recover", pool] };
  const options = { maxExecutions: 5000, findsChecksums: false };
  const { plan, statistics, checksums } = explored([annotated, "run", pool], commands, options);
  expect([plan.findings(), statistics.openStates, checksums]).toEqual([[], 0, ["checked"]]);
});

it.each(["sum", "count", "copy"])("a %s is none", (what) => {
  expect(look(what, [], 20, true).checksums).toEqual([]);
});
