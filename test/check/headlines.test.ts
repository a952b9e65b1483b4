/** Small programs as people write them, and every headline that `blackout check` has for them. */
import { describe, expect, it } from "vitest";
import { reportOf } from "../support/findings.ts";
import { compileGuest } from "../support/programs.ts";

const pool = "/tmp/blackout-told-pool.img";

type Row = readonly [guest: string, flags: string, ...headlines: string[]];

const rows: readonly Row[] = [
  [
    "message",
    "",
    "message.c:32 can survive a crash that message.c:31 does not: nothing makes m->text[63] durable before m->ready",
  ],
];

async function headlinesOf(guest: string, flags: string): Promise<readonly string[]> {
  const program = compileGuest(`check/told/${guest}.c`, ["-O1", "-g", "-mclwb", ...flags.split(" ").filter(Boolean)]);
  const use = (word: string) => `${program} ${pool} ${word}`;
  const words = ["--no-fix", "--setup", use("make"), "--recover", use("check"), "--", program, pool];
  const { findings } = await reportOf("check", words);
  return findings.flatMap(({ severity, headline }) => (severity === "error" ? [headline] : []));
}

describe("each mistake has its headline", () => {
  it.each(rows)("%s %s", async (guest, flags, ...headlines) => {
    expect(await headlinesOf(guest, flags)).toEqual(headlines);
  });
});
