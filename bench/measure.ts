/** CPU time of whole commands, medians, and how ratios are written down. */
import { spawnSync } from "node:child_process";
import { cpus, release, totalmem } from "node:os";

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

export const medianCpu = (runs: number, command: readonly string[], input = ""): number =>
  median(Array.from({ length: runs }, () => cpuSecondsOf(command, input)));

export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

export const machineDescription = (): string =>
  `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()}, Node ${process.version}`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
