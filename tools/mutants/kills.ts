/**
 * A check or an exploration that is killed or told to end again and again, and taken up each time: its last report is that of one that nobody
 * disturbed. Most moments are random ones while the journal is in use, some come before there is one.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import { checkGuest, pool } from "../../test/check/guests.ts";
import { withoutDirectory } from "../../test/end-to-end/command.ts";
import { compileGuest } from "../../test/support/programs.ts";

const blackout = resolve(import.meta.dirname, "../../blackout");
export type Signal = "SIGKILL" | "SIGINT" | "SIGTERM" | "SIGHUP";

const everyState = ["--no-rules", "--no-explore", "--no-memo", "--granularity", "store", "--all-points"];
const lines = () => compileGuest("explore/lines.c", ["-O1", "-g", "-static"]);
const linesCommand = (what: string): string => `${lines()} ${what} ${pool} 11`;

interface Disturbed {
  /** Options of its own, and the program. There is time to be killed in. */
  words(): readonly string[];
  readonly exit: number;
}

export const disturbed = {
  check: { words: () => [...everyState, "--", checkGuest("btree", "EARLY_FREE"), pool], exit: 1 },
  explore: {
    words: () => [
      ...["--setup", linesCommand("setup"), "--recover", linesCommand("unguarded")],
      ...["--", ...linesCommand("run").split(" ")],
    ],
    exit: 0,
  },
} as const satisfies Readonly<Record<string, Disturbed>>;
export type Command = keyof typeof disturbed;

const commandLine = (command: Command, jobs: number): readonly string[] => [
  ...[command, "--journal", "kept", "--resume", "--format", "json", "--report", "report.json", "-j", String(jobs)],
  ...disturbed[command].words(),
];

const reportIn = (directory: string): string => readFileSync(join(directory, "report.json"), "utf8");
const journalBytes = (directory: string): number =>
  statSync(join(directory, "kept/journal"), { throwIfNoEntry: false })?.size ?? 0;

function runToEnd(command: Command, directory: string): string {
  const { status, stderr } = spawnSync(blackout, commandLine(command, 1), { cwd: directory, encoding: "utf8" });
  if (status !== disturbed[command].exit) throw new Error(`an undisturbed ${command} ended with ${status}: ${stderr}`);
  if (existsSync(join(directory, "kept"))) throw new Error("a check that is done left its journal");
  return withoutDirectory(reportIn(directory), directory);
}

/** True when the signal came while the journal was in use. */
async function disturb(command: Command, directory: string, signal: Signal, random: RandomState): Promise<boolean> {
  const before = journalBytes(directory);
  const child = spawn(blackout, commandLine(command, 1 + below(random, 2)), { cwd: directory, stdio: "ignore" });
  const ended = once(child, "close");
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const isEarly = below(random, 8) === 0;
  while (!isEarly && !over && journalBytes(directory) <= before) await sleep(2);
  await sleep(below(random, isEarly ? 600 : 120));
  const hit = !over && journalBytes(directory) > before;
  child.kill(signal);
  await ended;
  return hit;
}

async function inFolder<Result>(work: (directory: string) => Result | Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), "blackout-kills-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export const undisturbedReport = (command: Command): Promise<string> =>
  inFolder((directory) => runToEnd(command, directory));

/** As if the last line had not been written to its end, now and then. */
function tear(directory: string, random: RandomState): void {
  const bytes = journalBytes(directory);
  if (bytes > 0 && below(random, 4) === 0) truncateSync(join(directory, "kept/journal"), bytes - 1 - below(random, 20));
}

/** Sends each of these signals while the journal is in use; throws when the report is another in the end. */
export async function runKilled(
  command: Command,
  seed: number,
  signals: readonly Signal[],
  undisturbed: string,
): Promise<void> {
  const random = seedRandom(seed);
  await inFolder(async (directory) => {
    for (const signal of signals) {
      // A check that comes to its end before it is hit starts anew: no journal is left then.
      while (!(await disturb(command, directory, signal, random)));
      tear(directory, random);
    }
    if (runToEnd(command, directory) !== undisturbed)
      throw new Error(`seed ${seed}: the report of a killed ${command} differs`);
  });
}

/** So many signals at random, kill -9 more often than others. */
export function randomSignals(seed: number, count: number): readonly Signal[] {
  const random = seedRandom(seed);
  return Array.from({ length: count }, () => pick(random, ["SIGKILL", "SIGKILL", "SIGINT", "SIGTERM", "SIGHUP"]));
}
