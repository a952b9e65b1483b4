/** The command as a user runs it: a process of its own, in a directory of its own. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const blackout = resolve(import.meta.dirname, "../../blackout");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly cwd?: string;
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A process that does not end by itself is killed, which no expectation accepts. */
const patience = { timeout: 120_000, killSignal: "SIGKILL", maxBuffer: 2 ** 26 } as const;

export function runBlackout(args: readonly string[], { cwd, input, environment }: Surroundings = {}): Ended {
  const { status, stdout, stderr } = spawnSync(blackout, args, {
    encoding: "utf8",
    input: input ?? "",
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...environment },
    ...patience,
  });
  return { code: status, stdout, stderr };
}

/** A command that is still running; `ended` tells how it did. */
export function startBlackout(args: readonly string[], cwd: string) {
  const child = spawn(blackout, args, { cwd, stdio: ["ignore", "ignore", "pipe"], ...patience });
  let stderr = "";
  child.stderr.on("data", (bytes) => {
    stderr += bytes;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout: "", stderr }));
  });
  return { child, ended };
}

/** `blackout run`; options first. Nothing here is about speed, so nothing is compiled. */
export const runGuest = (
  options: readonly string[],
  command: readonly string[],
  surroundings: Surroundings = {},
): Ended => runBlackout(["run", "--no-jit", ...options, "--", ...command], surroundings);

export async function inTemporaryDirectoryLater<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "blackout-test-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export function inTemporaryDirectory<T>(work: (directory: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), "blackout-test-"));
  try {
    return work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * A JSON report as of any directory: it names the one that it ran in, and witnesses by digests of what has it in
 * them.
 */
export const withoutDirectory = (report: string, directory: string): string =>
  report.replaceAll(directory, "here").replaceAll(/("replay",\s+)"[0-9a-f]{16}"/g, '$1"a witness"');
