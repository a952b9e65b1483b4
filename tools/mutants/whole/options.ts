/**
 * Commands with random options that have random values: numbers at and beyond every bound, patterns, paths of all kinds, texts that no
 * terminal should see. Each is refused with a sentence, or means something, and writes nothing where nobody told it to.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Option } from "commander";
import { commands } from "../../../src/app/commands/commands.ts";
import { optionChoices } from "../../../src/app/commands/options.ts";
import { below, pick, type RandomState, seedRandom } from "../../../src/base/index.ts";
import { mustEnd } from "./ended.ts";
import { foreignTree, makeGround } from "./obstacles.ts";
import { programCommands, readingCommands, type Usual } from "./usual.ts";

const numbers = [
  "0",
  "1",
  "2",
  "3",
  "7",
  "16",
  "100",
  "255",
  "256",
  "1000",
  "64k",
  "1M",
  "16M",
  "2Gi",
  "-1",
  "1.5",
  "1e9",
  "0x10",
  "007",
  "+1",
  " 1",
  "1 ",
  "9007199254740991",
  "9007199254740992",
  "18446744073709551616",
  "9".repeat(400),
  "NaN",
  "Infinity",
  "٣",
];
const times = ["0s", "1s", "2s", "1m", "1h", "1", "1d", "-1s", "9007199254740993h", "99999999999999999999s"];
const patterns = [
  "*",
  "**",
  "?",
  "a*",
  "*.pool",
  "a.pool",
  "[a-z]*",
  "[!a]*",
  "[",
  "]",
  "[]",
  "[]a]",
  "[z-a]",
  "\\",
  "a\\",
  "*".repeat(5000),
  "a*".repeat(2000),
  "{a,b}",
  "(",
  "(?:",
  "fun:*",
  "...",
  "\\Q",
];
const paths = [
  "",
  ".",
  "..",
  "/",
  "a.pool",
  "config.json",
  "report.json",
  "witness.json",
  "empty",
  "folder",
  "folder/",
  "folder/x",
  "missing/x",
  "unreadable",
  "link",
  "loop",
  "pipe",
  "/dev/null",
  "/dev/zero",
  "/dev/full",
  "/proc/self/mem",
  "/proc/self/environ",
  "/dev/fd/7",
  "/dev/stdout",
  "a".repeat(300),
  `${"d/".repeat(3000)}x`,
  "-",
  "--",
  "~",
];
const texts = [
  "\u001b[2J\u001b[8m",
  "\u0007",
  "a\nb",
  "a\rb",
  "\t",
  "\u202eabc",
  "\u00ad\u3164",
  "\ufeff",
  "\ud83d\ude00",
  "é",
  "'",
  '"',
  "`",
  "$(true)",
  "; true",
  "&& echo ok",
  "%s%n",
  "<script>",
  "&amp;",
  "__proto__",
  "constructor",
  "toString",
  "undefined",
  "null",
  "true",
  "=",
  "a=b",
  "=b",
  "A=",
  "1:2",
  "2:1",
  "turn:0",
  "turn:0,1 drain:0",
  "drain:99999999999",
  "crash:1",
  "{n}",
  "{file}",
  "x".repeat(100_000),
];
const everything = [numbers, times, patterns, paths, texts];

/** Where a command writes, or lets its program write: never a name that leads elsewhere. */
const writing =
  /^--(report|html|witness|bundle|journal|save-baseline|gen-suppressions|out|log-file|dump|dot|svg|proof|rw|pm-heap)$/;
/** These would fetch or run something. */
const leftOut = /^--(redis|fleet|apply|rebuild|help|version)$/;

const written = paths.filter((path) => !["..", "/", "link", ""].includes(path));

function valueFor(option: Option, random: RandomState): string {
  if (below(random, 8) === 0 && !writing.test(option.long!)) return pick(random, pick(random, everything));
  if (writing.test(option.long!)) return pick(random, written);
  const choices = optionChoices(option);
  if (choices !== undefined && below(random, 3) > 0) return pick(random, choices);
  if (/<(n|bytes?)>|\[n\]/.test(option.flags)) return pick(random, numbers);
  if (/<duration>/.test(option.flags)) return pick(random, times);
  if (/<(glob|name|function|field)/.test(option.flags)) return pick(random, [...patterns, ...texts]);
  if (/<(file|dir|log|path)/.test(option.flags)) return pick(random, paths);
  return pick(random, pick(random, everything));
}

function wordsFor(option: Option, random: RandomState): readonly string[] {
  const name = option.short !== undefined && below(random, 2) === 0 ? option.short : option.long!;
  if (!option.required && !option.optional) return [name];
  if (below(random, 40) === 0) return [name];
  const value = valueFor(option, random);
  return below(random, 4) === 0 && name.startsWith("--") ? [`${name}=${value}`] : [name, value];
}

/** Files that options may name. */
function furnish(own: string, foreign: string, bundle: string): void {
  const path = (name: string) => join(own, name);
  for (const name of ["report.json", "witness.json"]) copyFileSync(join(bundle, name), path(name));
  writeFileSync(path("config.json"), JSON.stringify({ check: { "fail-on": "warning" }, trace: { pm: ["*"] } }));
  writeFileSync(path("empty"), "");
  mkdirSync(path("folder"));
  execFileSync("ln", ["-s", foreign, path("link")]);
  execFileSync("ln", ["-s", "loop", path("loop")]);
  execFileSync("mkfifo", [path("pipe")]);
}

const seconds = 5;

/** Whatever an option makes of it: clean, findings, refused, no verdict. */
const codes = [0, 1, 2, 3];

async function optionsOf(command: string): Promise<readonly Option[]> {
  const line = await commands[command]!.line?.();
  return (line?.options ?? []).filter(({ long }) => long && !leftOut.test(long));
}

async function drawn(usual: Usual, random: RandomState): Promise<readonly string[]> {
  const command = usual.words[0]!;
  const options = await optionsOf(command);
  if (options.length === 0) return [];
  const given = Array.from({ length: 1 + below(random, 4) }, () => wordsFor(pick(random, options), random)).flat();
  const timed = options.some(({ long }) => long === "--time") ? ["--time", `${seconds}s`] : [];
  // The last one counts.
  return [...given, ...timed];
}

export async function runOptionsMutant(seed: number, bundle: string): Promise<string> {
  const random = seedRandom(seed);
  const base = mkdtempSync(join(tmpdir(), "blackout-options-"));
  try {
    const ground = makeGround(base);
    furnish(ground.own, ground.foreign, bundle);
    const doctor: Usual = { words: ["doctor"], program: ["--", "/bin/true"], code: 0 };
    const usual = pick(random, [...programCommands, ...programCommands, ...readingCommands(bundle), doctor]);
    const args = [...usual.words, ...(await drawn(usual, random)), ...usual.program];
    const before = foreignTree(ground);
    const { code } = await mustEnd({ args, cwd: ground.own, seconds }, codes);
    if (foreignTree(ground) !== before) throw new Error(`blackout ${args.join(" ")} changed what is not its own`);
    return `${usual.words[0]}: ${code}`;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
