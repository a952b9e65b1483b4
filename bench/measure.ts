/**
 * CPU time of whole commands, medians, and how ratios are written down. Commands keep translations in a folder of ours,
 * so that what was run before, by whomever, changes nothing.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";

const cache = mkdtempSync(join(tmpdir(), "blackout-bench-cache-"));
process.env.BLACKOUT_CACHE = cache;
process.on("exit", () => rmSync(cache, { recursive: true, force: true }));

/** The next command is the first of its program that this computer has seen. */
export const forgetTranslations = (): void => rmSync(cache, { recursive: true, force: true });

/** User and system seconds of a command and its children, by the shell's own `time`. */
export function cpuSecondsOf(command: readonly string[], input = ""): number {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const script = `TIMEFORMAT='%3U %3S'; exec 3>&2; { time ${quoted} >/dev/null 2>/dev/null; } 2>&3`;
  const { stderr, error } = spawnSync("bash", ["-c", script], { encoding: "utf8", input });
  if (error) throw error;
  const [user, system] = stderr.trim().split(/\s+/).slice(-2).map(Number);
  return user! + system!;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
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

export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

export const machineDescription = (): string =>
  `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()}, Node ${process.version}`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
