/** A mistake that only some schedules show: found under them, seen again from its witness, and absent from the program without it. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isScheduleChoice, parseChoices } from "../../src/crash/states/index.ts";
import { compileGuest } from "../support/programs.ts";
import { runBlackout } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-schedules-"));
afterAll(() => rmSync(folder, { recursive: true }));

const flags = ["-O1", "-g", "-static", "-pthread"];
const right = compileGuest("schedules/handover.c", flags);
const wrong = compileGuest("schedules/handover.c", [...flags, "-DMISTAKE"]);

const run = (...args: readonly string[]) => runBlackout(args, { cwd: folder });
const checked = (program: string, ...options: readonly string[]) =>
  run("check", "--no-journal", ...options, "--recover", `${program} pool recover`, "--", program, "pool");

test("one schedule does not show it", () => {
  expect(checked(wrong).code).toBe(0);
});

test("several do; the witness, its choices and the schedule's number show it again", () => {
  const { code, stdout, stderr } = checked(wrong, "--schedules", "12", "--witness", "witness.json");
  expect(code).toBe(1);
  expect(stdout + stderr).toMatch(/was counted and is\s+lost/);
  expect(stdout + stderr).toContain("; 12 schedules, ");
  const [, number] = /--schedule (\d+) runs it alone/.exec(stderr)!;

  const again = run("replay", "witness.json");
  expect(again.code).toBe(1);
  expect(again.stdout).toContain("as recorded");

  const { witnesses } = JSON.parse(readFileSync(join(folder, "witness.json"), "utf8"));
  const { choices } = witnesses[0] as { choices: string };
  expect(checked(wrong, "--schedule", choices).code).toBe(1);
  expect(checked(wrong, "--schedule", number!).code).toBe(1);

  const traced = run("trace", "--schedule", number!, "--", wrong, "pool");
  const [, text] = /--schedule '(.*)'/.exec(traced.stderr)!;
  expect(parseChoices(text!)).toEqual(parseChoices(choices).filter(isScheduleChoice));
});

test("the program without the mistake is right under all of them, one judge or two", () => {
  expect(checked(right, "--schedules", "12").code).toBe(0);
  expect(checked(right, "--schedules", "3", "-j", "2").code).toBe(0);
});

test.each([
  ["nonsense", "is no choice"],
  ["crash:3", "A schedule is a number, or choices"],
  ["turn:77*4", "cannot follow choice 1"],
])("--schedule %s is refused", (text, says) => {
  const { code, stderr } = checked(right, "--schedule", text);
  expect(code).toBe(2);
  expect(stderr).toContain(says);
});
