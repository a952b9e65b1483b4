/**
 * CPU time of whole commands. They keep translations in a folder of ours, so that what was run before, by whomever,
 * changes nothing.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./figures.ts";

const cache = mkdtempSync(join(tmpdir(), "blackout-bench-cache-"));
process.on("exit", () => rmSync(cache, { recursive: true, force: true }));

/** What commands that are measured run with. */
export const environment: NodeJS.ProcessEnv = { ...process.env, BLACKOUT_CACHE: cache };

/** The next command is the first of its program that this computer has seen. */
const forgetTranslations = (): void => rmSync(cache, { recursive: true, force: true });

export interface Measured {
  readonly input?: string;
  /** Exit codes of a command that did its work; it may have findings. */
  readonly accepts?: readonly number[];
  readonly env?: NodeJS.ProcessEnv;
}

/** User and system seconds of a command and its children, by the shell's own `time`. */
export function cpuSecondsOf(command: readonly string[], options: Measured = {}): number {
  const { input = "", accepts = [0, 1], env = environment } = options;
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const script = `TIMEFORMAT='%3U %3S'; exec 3>&2; { time ${quoted} >/dev/null 2>/dev/null; } 2>&3`;
  const { stderr, status, error } = spawnSync("bash", ["-c", script], { encoding: "utf8", input, env });
  if (error) throw error;
  if (status === null || !accepts.includes(status)) throw new Error(`${quoted} ends with ${status}`);
  const [user, system] = stderr.trim().split(/\s+/).slice(-2).map(Number);
  return user! + system!;
}

/** Of commands that find nothing translated, and of the same commands when they have run once: the usual case. */
export function coldAndUsualCpu(runs: number, command: readonly string[]): readonly [cold: number, usual: number] {
  const [cold, usual]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    forgetTranslations();
    cold.push(cpuSecondsOf(command));
    usual.push(cpuSecondsOf(command));
  }
  return [median(cold), median(usual)];
}
