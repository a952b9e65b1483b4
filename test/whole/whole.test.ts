/**
 * Whole commands on random programs, beside a twin that goes through all crash states in plain code: `check` and `explore` fail
 * exactly where it does, what they blame is a store that recovery looks at, every witness fails again, and what `fix` calls fixed is
 * clean when it is built again. WHOLE_SEED and WHOLE_PROGRAMS choose others.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkCommand } from "../../src/app/commands/check.ts";
import { exploreCommand } from "../../src/app/commands/explore.ts";
import type * as document from "../../src/report/document/index.ts";
import { shownFrame } from "../../src/report/document/index.ts";
import { runBlackout } from "../end-to-end/command.ts";
import { makeProgram } from "./program.ts";
import { sourceOf } from "./source.ts";
import { brokenState } from "./twin.ts";

const first = Number(process.env.WHOLE_SEED ?? 1);
const count = Number(process.env.WHOLE_PROGRAMS ?? 16);
/** One of so many that fail is repaired: that takes many checks. */
const repairedOneOf = 6;

const seeds = Array.from({ length: count }, (_, at) => first + at);
const programs = seeds.map(makeProgram);
const { text, lines } = sourceOf(programs);
const folder = mkdtempSync(join(tmpdir(), "blackout-whole-"));
const pool = join(folder, "pool");
const built = join(folder, "whole");

function build(source: string, program: string): void {
  execFileSync("gcc", ["-g", "-O1", "-mclwb", "-mclflushopt", "-static", "-o", program, source], { stdio: "pipe" });
}

beforeAll(() => {
  writeFileSync(join(folder, "whole.c"), text);
  build(join(folder, "whole.c"), built);
});
afterAll(() => rmSync(folder, { recursive: true }));

const wordsOf = (number: number, program = built) => [
  ...["--recover", `${program} ${number} ${pool} check`],
  ...["--", program, `${number}`, pool],
];

async function judged(command: typeof checkCommand, number: number, options: readonly string[], program = built) {
  const path = join(folder, "report.json");
  const code = await command([...options, "--format", "json", "--report", path, ...wordsOf(number, program)]);
  return { code, report: JSON.parse(readFileSync(path, "utf8")) as document.Report };
}

it.each(seeds)("program %i", { timeout: 120_000 }, async (seed) => {
  const number = seed - first;
  const { words: _words, steps, rules } = programs[number]!;
  const broken = brokenState(programs[number]!);
  const what = `the twin's first broken state: ${JSON.stringify(broken)}`;
  const checked = await judged(checkCommand, number, ["--no-journal", "--no-fix"]);
  expect(checked.code, `check, ${what}`).toBe(broken === undefined ? 0 : 1);
  const explored = await judged(exploreCommand, number, ["--no-journal"]);
  expect(explored.code, `explore, ${what}`).toBe(broken === undefined ? 0 : 1);
  if (broken === undefined) return;
  const relevant = new Set(
    rules.flatMap(({ left, right }) => [left, right]).map((one) => (typeof one === "object" ? one.word : one)),
  );
  const isOfRules = (at: number) => {
    const step = steps[at]!;
    return step.kind === "store"
      ? relevant.has(step.word)
      : step.kind === "acknowledge" || step.kind === "side" || step.kind === "rename";
  };
  const own = lines[number]!;
  for (const { places, rule, headline } of checked.report.findings.filter(({ cut }) => cut !== undefined)) {
    const named = own.indexOf(shownFrame(checked.report, places[0]!.place)?.line ?? -1);
    expect(named >= 0 && (isOfRules(named) || steps[named]!.kind !== "store"), `${rule} blames ${headline}`).toBe(true);
  }
});

it("some of the programs are right, and some are wrong", () => {
  const wrong = programs.filter((program) => brokenState(program) !== undefined).length;
  if (count >= 16)
    expect([wrong > 2, count - wrong > 2], `${wrong} of ${count} from seed ${first} on`).toEqual([true, true]);
});

const failing = seeds.filter((_, number) => brokenState(programs[number]!) !== undefined);

it.each(failing.filter((_, at) => at % repairedOneOf === 0))(
  "what cures program %i",
  { timeout: 240_000 },
  async (seed) => {
    const number = seed - first;
    const { code, stdout } = runBlackout(["fix", ...wordsOf(number)], { cwd: folder });
    expect([0, 1]).toContain(code);
    const witness = `${built}.witness`;
    runBlackout(["check", "--no-fix", "--witness", witness, ...wordsOf(number)], { cwd: folder });
    expect(runBlackout(["replay", witness], { cwd: folder }).stdout).toContain("as recorded");
    if (code !== 0) return;
    const other = mkdtempSync(join(folder, "fixed-"));
    writeFileSync(join(other, "whole.c"), text);
    execFileSync("patch", ["-s", "-p1"], { cwd: other, input: stdout });
    build(join(other, "whole.c"), join(other, "whole"));
    const again = await judged(checkCommand, number, ["--no-journal", "--no-fix"], join(other, "whole"));
    expect(again.code).toBe(0);
  },
);
