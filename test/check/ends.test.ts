/** Where a recovery ends that returns from main: at the line that decided so, not in what runs after main. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { shownFrame } from "../../src/document/index.ts";
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
