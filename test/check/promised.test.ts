/**
 * A crash counts as creation only while nothing was promised, and only if recovery refused the file from its first store on. Each
 * mistake is one error at its line; nothing of it is told a second time as creation.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, it } from "vitest";
import { reportOf } from "../support/findings.ts";
import { checkGuest, checkSource } from "./guests.ts";

const pool = "/tmp/blackout-promised-pool.img";
const lines = readFileSync(checkSource("promised"), "utf8").split("\n");

/** Lines by their marks, without what else varies. */
const marked = (text: string): string =>
  text
    .replace(/promised\.c:(\d+)/g, (place, line) => /\/\/ (\w+)$/.exec(lines[Number(line) - 1]!)?.[1] ?? place)
    .replace(/ \(promised\.c:\d+-\d+\)/, "")
    .replace(basename(pool), "POOL");

async function headlines(command: "check" | "explore", bug: string): Promise<readonly string[]> {
  const program = checkGuest("promised", bug);
  const quiet = command === "check" ? ["--no-rules"] : [];
  const report = await reportOf(command, [...quiet, "--recover", `${program} ${pool} check`, "--", program, pool]);
  return report.findings.map(({ rule, severity, headline }) => `${severity} ${rule}: ${marked(headline)}`);
}

const creation =
  "warning creation-not-atomic: values: a crash while POOL is being created leaves what recovery fails on";
const lost = (when: string) => `error recovery-fails: size may still be lost ${when}: nothing makes pool durable`;
const kept = "even with every store kept";

/** By the variant of the guest, what both `check` and `explore` say. */
const told: Readonly<Record<string, readonly string[]>> = {
  NONE: [],
  LATE: [`${lost("by a crash at flushed")} before that`],
  SIDE: [`${lost("by a crash at magic")} before that`],
  EARLY: [`error recovery-fails: a crash between early and magic breaks recovery, ${kept}`],
  MAGIC: [`error recovery-fails: a crash between first and value breaks recovery, ${kept}: check reads what is left`],
  HANG: [`error recovery-hangs: a crash between first and value makes recovery hang at waits, ${kept}`],
  STRICT: [creation],
  STRICT_BANNER: [creation],
  STRICT_LATE: [`${lost("by a crash at flushed")} before that`, creation],
  STRICT_NEVER: [lost("when the program is done"), creation],
};

it.each(Object.keys(told))("%s", async (bug) => {
  const check = await headlines("check", bug);
  const explore = await headlines("explore", bug);
  expect({ check, explore }).toEqual({ check: told[bug], explore: told[bug] });
});

it("what recovery prints is judged after an output as before it, on the same contents", async () => {
  const program = checkGuest("printed", undefined);
  const words = ["--oracle", "output", "--recover", `${program} ${pool} check`, "--", program, pool];
  const { findings } = await reportOf("explore", words);
  expect(findings.map(({ headline }) => headline)).toEqual([
    "printed.c:10 may still be lost by a crash at printed.c:12: nothing makes *pool durable before that",
  ]);
});
