/** `make demo`: a small key-value store in persistent memory runs in the machine, and we tell what can be seen. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildGuest } from "./guests/build.ts";

const root = resolve(import.meta.dirname, "..");
const blackout = join(root, "blackout");

const say = (text = "") => console.log(text);
const show = (text: string) => say(text.trimEnd().replace(/^/gm, "    "));
function check(claim: string, holds: boolean): void {
  say(`  ${holds ? "yes" : "NO "}  ${claim}`);
  if (!holds) process.exitCode = 1;
}

interface Run {
  readonly stdout: string;
  readonly code: number | null;
  readonly instructions: number;
  readonly seconds: number;
  readonly regions: number;
}

function runInMachine(command: readonly string[], cwd: string, options: readonly string[] = []): Run {
  const args = ["run", "--stats", ...options, "--", ...command];
  const { stdout, stderr, status } = spawnSync(blackout, args, { cwd, encoding: "utf8" });
  const line = stderr.split("\n").find((text) => text.startsWith("{"));
  if (line === undefined) throw new Error(`the machine gave no statistics:\n${stderr}`);
  const { instructions, seconds, regions } = JSON.parse(line) as {
    instructions: number;
    seconds: { run: number };
    regions: number;
  };
  return { stdout, code: status, instructions, seconds: seconds.run, regions };
}

function demonstrate(directory: string): void {
  const program = buildGuest("demo/store.c");
  say("guests/demo/store.c keeps records in a memory-mapped file and flushes each before it counts it.");
  say("Compiled with gcc, it runs unmodified in the machine:\n");
  say("  $ blackout run --stats -- store lamps.pm");
  const first = runInMachine([program, "lamps.pm"], directory);
  show(first.stdout);
  const rate = first.instructions / first.seconds / 1e6;
  say(
    `  ${first.instructions} instructions in ${first.seconds.toFixed(2)} s (${rate.toFixed(1)} million a second), ${first.regions} regions compiled\n`,
  );
  const afterFirst = readdirSync(directory);
  const second = runInMachine([program, "lamps.pm"], directory);
  const interpreted = runInMachine([program, "lamps.pm"], directory, ["--no-jit"]);
  const native = spawnSync(program, ["lamps.pm"], { cwd: directory, encoding: "utf8" });
  check(
    "it printed what it prints outside the machine",
    native.stdout === first.stdout && native.status === first.code,
  );
  check("nothing on the host changed: its file exists only inside", afterFirst.length === 0);
  check(
    "run again, it did the same, to the instruction",
    second.stdout === first.stdout && second.instructions === first.instructions,
  );
  check(
    "interpreted or compiled, it did the same, to the instruction",
    interpreted.stdout === first.stdout && interpreted.instructions === first.instructions,
  );
  say("\nWhat may a crash leave behind when a record is flushed before its flag is stored, as above?\n");
  say("  $ blackout litmus test/litmus/herd/commit.litmus");
  const litmus = spawnSync(blackout, ["litmus", join(root, "test/litmus/herd/commit.litmus")], { encoding: "utf8" });
  show(litmus.stdout);
  check("the flag never survives without the record", litmus.status === 0);
}

const directory = mkdtempSync(join(tmpdir(), "blackout-demo-"));
try {
  demonstrate(directory);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
