/** Where a recovery ends that returns from main: at the line that decided so, not in what runs after main. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { shownFrame } from "../../src/report/document/index.ts";
import { runBlackout } from "../end-to-end/command.ts";
import { reportOf } from "../support/findings.ts";
import { compileGuest, guestSource } from "../support/programs.ts";
import { pool } from "./guests.ts";

const source = readFileSync(guestSource("check/synced.c"), "utf8").split("\n");

it.each([["-O0", "-static"], ["-O1", "-static"], ["-O2"]])("built with %s %s", async (...flags) => {
  const program = compileGuest("check/synced.c", ["-g", ...flags]);
  const words = [
    "--no-rules",
    "--pm-mode",
    "msync",
    "--recover",
    `${program} ${pool} check`,
    "--",
    program,
    pool,
    "flush",
  ];
  const report = await reportOf("check", words);
  const { end } = report.findings[0]!.recovery!;
  const { line } = shownFrame(report, end!.place)!;
  expect(source[line! - 1]).toMatch(/return 1;|puts\("full/);
});

it("where a recovery ends that fails after a clean stop, too", () => {
  const program = compileGuest("check/synced.c", ["-g"]);
  const crash = compileGuest("programs/crash.c", ["-g"]);
  const { code, stderr } = runBlackout(["check", "--recover", `${crash} null`, "--", program, pool, "sync"]);
  expect(stderr).toMatch(
    /^blackout: The recovery is killed by SIG\w+.*, at crash\.c:\d+ in \w+, even after the program stopped undisturbed: give another with --recover, or --expect-exit\.$/m,
  );
  expect(code).toBe(2);
});

it("a program that is wrong without a crash is what a recovery complains of that reads what it left", () => {
  const program = compileGuest("check/ended.c", ["-g"]);
  const { code, stderr } = runBlackout(["check", "--recover", `${program} ${pool} check`, "--", program, pool]);
  expect(stderr.replace(/\n\s*/g, " ").trim()).toMatch(
    /^blackout: The program is wrong without any power cut: the recovery reads what it left and exits with 1, at ended\.c:\d+ in main, even after the program stopped undisturbed\. Mend that first, .*--expect-exit\. the sum is 3, not 4$/m,
  );
  expect(code).toBe(2);
});
