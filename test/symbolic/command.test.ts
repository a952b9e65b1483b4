/** `blackout symbolic` as a command, and what other commands do with its inputs. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runBlackout } from "../end-to-end/command.ts";
import { compileGuest } from "../support/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-symbolic-"));
afterAll(() => rmSync(folder, { recursive: true }));
const blackout = (...args: readonly string[]) => runBlackout(args, { cwd: folder });
const pool = join(folder, "pool");

/** Crashes of every path of the program that modifies the pool. */
function crashesOfPaths(defines: readonly string[]) {
  const guest = compileGuest("symbolic/ordered.c", ["-O1", "-g", "-static", ...defines]);
  const corpus = join(folder, `corpus${defines.join("")}`);
  const followed = blackout("symbolic", "--sym-stdin", "4", "--cover", corpus, "--", guest, pool);
  const recover = `${guest} ${pool} check`;
  const checked = blackout(
    "check",
    "--no-journal",
    "--no-fix",
    "--input",
    corpus,
    "--recover",
    recover,
    "--",
    guest,
    pool,
  );
  return { followed, checked, inputs: readdirSync(corpus).map((name) => readFileSync(join(corpus, name), "latin1")) };
}

it("keeps an input for each path that modifies persistent memory, and a check of them finds what only crashes show", () => {
  const { followed, checked, inputs } = crashesOfPaths([]);
  expect(followed).toMatchObject({ code: 0 });
  expect(inputs.map((input) => `${input[0]}${input[2]}`).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    "a\0",
    "aa",
    "ar",
  ]);
  expect(checked.code).toBe(1);
  expect(checked.stderr).toMatch(
    /error\[recovery-fails\][\s\S]*first with the input path-0000\d: 1 finding \(recovery-fails\)/,
  );
});

it("and nothing in a program that is right", () => {
  const { followed, checked } = crashesOfPaths(["-DRIGHT"]);
  expect([followed.code, checked.code]).toEqual([0, 0]);
});
