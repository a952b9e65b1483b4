/** Small programs as people write them, and every headline that `blackout check` has for them. */
import { describe, expect, it } from "vitest";
import { reportOf } from "../support/findings.ts";
import { compileGuest } from "../support/programs.ts";

const pool = "/tmp/blackout-told-pool.img";

type Row = readonly [guest: string, flags: string, options: string, ...headlines: string[]];

const rows: readonly Row[] = [
  [
    "message",
    "",
    "",
    "message.c:31 may be lost while message.c:32 is kept: nothing makes m->text[63] durable before m->ready",
  ],
  [
    "setter",
    "-DSECOND_RIGHT",
    "",
    "setter.c:23 (called from setter.c:40) may be lost while setter.c:27 is kept: nothing makes cell->value durable before cell->ready",
  ],
  // The other call is wrong too, though the few crash states that were judged do not show it.
  [
    "setter",
    "",
    "--no-explore --max-states 4",
    "setter.c:23 may be lost while setter.c:27 is kept: nothing makes cell->value durable before cell->ready",
  ],
  [
    "two-losses",
    "-DRECORD -DCOUNT",
    "",
    "two-losses.c:11 may be lost while two-losses.c:15 is kept: nothing makes log->record[0] durable before log->count",
    "two-losses.c:15 may still be lost by a crash at two-losses.c:19: nothing makes log->count durable before that",
  ],
  [
    "grown",
    "-DHEADER",
    "",
    "a crash right after grown.c:15 breaks recovery, even with every store kept: row_of (grown.c:35-37) reads what is left",
    "grown.c:19 may still be lost by a crash at grown.c:60: nothing makes table->shift durable before that",
  ],
  ["grown", "-DWHOLE", ""],
  // The lock that is left taken, its release that is lost, and the rule that sees it.
  [
    "latch",
    "",
    "--hang-limit 200000",
    "a crash between latch.c:15 and latch.c:20 makes recovery hang at latch.c:10, even with every store kept",
  ],
  [
    "latch",
    "-DUNFLUSHED",
    "--hang-limit 200000",
    "a crash between latch.c:15 and latch.c:20 makes recovery hang at latch.c:10, even with every store kept",
    "latch.c:16 may still be lost by a crash when latch.c:15 runs next: nothing makes store->value durable before that",
  ],
];

const wordsOf = (text: string): readonly string[] => text.split(" ").filter(Boolean);

async function headlinesOf(guest: string, flags: string, options: string): Promise<readonly string[]> {
  const program = compileGuest(`check/told/${guest}.c`, ["-O1", "-g", "-mclwb", ...wordsOf(flags)]);
  const use = (word: string) => `${program} ${pool} ${word}`;
  const words = [
    "--no-fix",
    ...wordsOf(options),
    "--setup",
    use("make"),
    "--recover",
    use("check"),
    "--",
    program,
    pool,
  ];
  const { findings } = await reportOf("check and explore", words);
  return findings.flatMap(({ severity, headline }) => (severity === "error" ? [headline] : []));
}

describe("each mistake has its headline", () => {
  it.each(rows)("%s %s %s", async (guest, flags, options, ...headlines) => {
    expect(await headlinesOf(guest, flags, options)).toEqual(headlines);
  });
});
