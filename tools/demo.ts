/** `make demo`: check on a key-value store with three mistakes, then on the store without them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildStore, mistakes, storeSource } from "./demo/store.ts";

const blackout = resolve(import.meta.dirname, "../blackout");

const say = (text = "") => console.log(text);
const show = (text: string) => say(text.trimEnd().replace(/^(?=.)/gm, "    "));
function claim(text: string, holds: boolean): void {
  say(`  ${holds ? "yes" : "NO "}  ${text}`);
  if (!holds) process.exitCode = 1;
}

interface Ran {
  readonly code: number | null;
  readonly text: string;
}

function command(words: readonly string[], cwd: string): Ran {
  const quoted = words.map((word) => (word.includes(" ") ? `'${word}'` : word));
  say(`  $ blackout ${quoted.join(" ")}\n`);
  const { stdout, stderr, status } = spawnSync(blackout, [...words], { cwd, encoding: "utf8" });
  const text = `${stdout}${stderr}`;
  show(text);
  say();
  return { code: status, text };
}

const check = (program: string, directory: string): Ran =>
  command(["check", "--recover", `./${program} rooms.pm check`, "--", `./${program}`, "rooms.pm"], directory);

/** Whether a headline names a line of the function. */
function namesLineOf(text: string, inside: string): boolean {
  const lines = readFileSync(storeSource, "utf8").split("\n");
  const first = lines.findIndex((line) => new RegExp(`^static .*\\b${inside}\\(`).test(line)) + 1;
  const last = first + lines.slice(first).indexOf("}") + 1;
  const named = [...text.matchAll(/^ *error\[[^\n]*?kv\.c:(\d+)/gm)].map(([, line]) => Number(line));
  return named.some((line) => line >= first && line <= last);
}

function demonstrate(directory: string): void {
  buildStore(directory, "kv");
  say("guests/demo/kv.c keeps keys and values in a memory-mapped file. It works:\n");
  const ran = command(["run", "--", "./kv", "rooms.pm"], directory);
  say("But does it survive a power cut? Its own `check` tells whether all that it printed is still there:\n");
  const found = check("kv", directory);
  say(`Without its ${mistakes.length} mistakes:\n`);
  for (const { inside, what } of mistakes) say(`  ${`${inside}()`.padEnd(9)} ${what}`);
  say();
  buildStore(directory, "mended", mistakes);
  const mended = check("mended", directory);
  claim("the store works as long as nothing happens", ran.code === 0);
  for (const { inside } of mistakes)
    claim(`the mistake in ${inside}() is found`, found.code === 1 && namesLineOf(found.text, inside));
  claim("nothing is found in the store without them", mended.code === 0);
  claim("nothing on the host changed: the file was only ever inside", !readdirSync(directory).includes("rooms.pm"));
}

const directory = mkdtempSync(join(tmpdir(), "blackout-demo-"));
try {
  demonstrate(directory);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
