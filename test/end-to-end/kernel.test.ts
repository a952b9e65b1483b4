/** Programs that lean on the kernel, natively and in the machine: same output, same end. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Outcome, pathFromText, signalName } from "../../src/machine/index.ts";
import { compileGuest, finish, loadGuest } from "../support/programs.ts";

const programs = [
  "threads",
  "signals",
  "files",
  "mappings",
  "waiting",
  "clocks",
  "timers",
  "float-flags",
  "rewriting",
  "dual-mapping",
  "sparse",
  "exec",
] as const;
const flags = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-lm"];
const tiers = { interpreted: { hotAfter: 0 }, compiled: { hotAfter: 20 } } as const;

function inEmptyDirectory<T>(run: (directory: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), "blackout-kernel-"));
  try {
    return run(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const native = (program: string) =>
  inEmptyDirectory((cwd) => {
    const { stdout, status, signal } = spawnSync(program, { cwd, encoding: "utf8" });
    return { stdout, end: signal ?? `exit ${status}` };
  });

const endOf = (outcome: Outcome): string =>
  outcome.kind === "signal"
    ? signalName(outcome.signal)
    : outcome.kind === "exit"
      ? `exit ${outcome.code}`
      : JSON.stringify(outcome);

interface MachineChoices {
  readonly hotAfter?: number;
  readonly seed?: number;
  /** Whether its directory is. */
  readonly granted?: boolean;
}

const inMachine = (program: string, { granted = false, ...options }: MachineChoices) =>
  inEmptyDirectory((directory) => {
    const workingDirectory = pathFromText(directory);
    const grants = granted ? [workingDirectory] : [];
    // Files of the host count by their size, holes included.
    const limits = { bytes: 2 ** 44 };
    const guest = loadGuest([program], { workingDirectory, grants, limits, ...options });
    const { stdout, outcome, instructions, digest } = finish(guest);
    return { stdout, end: endOf(outcome), notices: guest.notices, instructions, digest };
  });

describe.each(programs)("%s", (name) => {
  const program = compileGuest(`machine/${name}.c`, flags);

  test.each(Object.entries(tiers))("%s as natively", (_tier, options) => {
    const { stdout, end, notices } = inMachine(program, options);
    expect({ stdout, end }).toEqual(native(program));
    expect(notices.filter((line) => !line.startsWith("ud2"))).toEqual([]);
  });
});

test.each(["mappings", "sparse"])("%s in a granted directory as natively", (name) => {
  const program = compileGuest(`machine/${name}.c`, flags);
  const { stdout, end } = inMachine(program, { hotAfter: 0, granted: true });
  expect({ stdout, end }).toEqual(native(program));
});

describe("repeating", () => {
  test("a seed gives one run in either tier; seeds differ, but not in what the program says", () => {
    const program = compileGuest("machine/threads.c", flags);
    const first = inMachine(program, { seed: 1, hotAfter: 0 });
    const same = inMachine(program, { seed: 1, hotAfter: 20 });
    const other = inMachine(program, { seed: 2, hotAfter: 0 });
    expect(same).toEqual(first);
    expect(other.stdout).toBe(first.stdout);
    expect(other.instructions).not.toBe(first.instructions);
  });

  test.each(programs)("%s goes on from a snapshot as it did before", (name) => {
    const program = compileGuest(`machine/${name}.c`, flags);
    const total = inMachine(program, { hotAfter: 20, seed: 5 }).instructions;
    inEmptyDirectory((directory) => {
      const guest = loadGuest([program], { workingDirectory: pathFromText(directory), hotAfter: 20, seed: 5 });
      const { machine } = guest;
      const snapshots = [];
      const step = Math.ceil(total / 3);
      let result = machine.run(step);
      for (; result.kind === "limit"; result = machine.run(step)) snapshots.push(machine.snapshot());
      const state = () => ({ stdout: guest.output(1), instructions: machine.instructions, digest: machine.digest() });
      const ended = state();
      for (const snapshot of snapshots.toReversed().concat(snapshots.slice(-1))) {
        machine.restore(snapshot);
        expect(machine.run()).toEqual(result);
        expect(state()).toEqual(ended);
      }
    });
  });
});
