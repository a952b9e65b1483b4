/**
 * Whole commands, as their users run them, and what must never come of one: an exit code that does not say what happened, a
 * trace of our own code, a refusal without a sentence, raw control characters, more than five seconds beyond `--time`.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { unprintableIn } from "./unprintable.ts";

export const blackout = resolve(import.meta.dirname, "../../../blackout");

export interface Tried {
  readonly args: readonly string[];
  readonly cwd: string;
  /** What it was told with `--time`. */
  readonly seconds: number;
  /** Runs "$@" in surroundings of its own. */
  readonly script?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Without the time in which the computer had no processor for it. */
  readonly seconds: number;
}

/** Longer than any command may take on a busy computer; one that is killed then has hung. */
const patienceSeconds = 240;
const graceSeconds = 5;

/** How long the thread of a process that waited longest was ready and had no processor, in seconds. */
function waitedForProcessor(pid: number): number {
  try {
    const waited = readdirSync(`/proc/${pid}/task`).map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[1]),
    );
    return Math.max(0, ...waited) / 1e9;
  } catch {
    return 0;
  }
}

/** Groups of processes. */
const running = new Set<number>();

/** For who is told to end. */
export function endRunning(): void {
  for (const group of running) process.kill(-group, "SIGKILL");
}

export async function runTried({ args, cwd, script = 'exec "$@"', env, input = "" }: Tried): Promise<Ended> {
  const child = spawn("/bin/bash", ["-c", script, "blackout", blackout, ...args], {
    cwd,
    detached: true,
    ...(env && { env: env as NodeJS.ProcessEnv }),
  });
  running.add(child.pid!);
  const began = performance.now();
  let [stdout, stderr, waited, isOver] = ["", "", 0, false];
  child.stdout.on("data", (bytes) => (stdout += bytes));
  child.stderr.on("data", (bytes) => (stderr += bytes));
  // A command that does not read its input closes it.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const ended = new Promise<Pick<Ended, "code" | "signal">>((done) =>
    child.on("close", (code, signal) => {
      isOver = true;
      running.delete(child.pid!);
      done({ code, signal });
    }),
  );
  const seconds = () => (performance.now() - began) / 1000;
  while (!isOver && seconds() < patienceSeconds) {
    waited = Math.max(waited, waitedForProcessor(child.pid!));
    await Promise.race([ended, sleep(100)]);
  }
  if (!isOver) process.kill(-child.pid!, "SIGKILL");
  return { ...(await ended), stdout, stderr, seconds: seconds() - waited };
}

const traces = /^\s+at .*[:(].*:\d+|node:internal|Please report it|FATAL ERROR|^Trace|core dumped/m;

/** What is wrong with how a command ended; undefined where nothing is. */
export function wrongIn(ended: Ended, seconds: number, codes: readonly number[]): string | undefined {
  const { code, signal, stderr } = ended;
  if (ended.seconds > seconds + graceSeconds) return `took ${ended.seconds.toFixed(1)} s of its ${seconds}`;
  if (signal !== null) return `ended by ${signal}`;
  if (traces.test(stderr)) return "a trace of our own on standard error";
  if (!codes.includes(code!)) return `exit code ${code}, not one of ${codes.join(", ")}`;
  if (code === 2 && !/^blackout[^:\n]*: ./m.test(stderr)) return "refused without a sentence";
  const raw = unprintableIn(stderr) ?? unprintableIn(ended.stdout);
  return raw === undefined ? undefined : `prints the raw character U+${raw.codePointAt(0)!.toString(16)}`;
}

export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** For whoever runs it again. */
export const commandText = ({ args, script }: Tried): string =>
  `blackout ${args.map(quoted).join(" ")}${script === undefined ? "" : `\n  by: ${script}`}`;

/** Runs a command and judges it; throws with all that it takes to see it again. */
export async function mustEnd(tried: Tried, codes: readonly number[], isSilent = false): Promise<Ended> {
  const ended = await runTried(tried);
  const wrong = wrongIn(ended, tried.seconds, codes);
  if (wrong === undefined || (isSilent && wrong === "refused without a sentence")) return ended;
  throw new Error(`${commandText(tried)}\n${wrong}\n${ended.stderr.slice(0, 4000)}`);
}
