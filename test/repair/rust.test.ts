/** Mistakes of programs in Rust repaired in their source; left out with a sentence where there is no rustc. SEEDED=all takes every row. */
import { describe, expect, it } from "vitest";
import { isInstalled } from "../elf/compile.ts";
import { expectCured } from "./cured.ts";
import { mend } from "./mending.ts";
import { curableInRust } from "./rows.ts";

const hasRust = isInstalled("rustc");
if (!hasRust) console.log("There is no rustc here: what is written into programs in Rust is not tried.");

/** What each patch adds. */
const added: Readonly<Record<string, readonly string[]>> = {
  "repair/journal MISSING_FLUSH in Rust": [
    "+        flush(entry.text.as_ptr() as *const u8, std::mem::size_of_val(&entry.text[..]));",
  ],
  "repair/journal MISSING_FENCE in Rust": ["+        fence();"],
  "repair/mailbox MISSING_FLUSH in Rust": ["+    _mm_clflush(place as *const u8);"],
  "repair/mailbox MISSING_BOTH in Rust": [
    "+    _mm_clflush(place as *const u8);",
    "-        _ => stamp.store(letter + 1, Ordering::Release),",
    "+        _ => { stamp.store(letter + 1, Ordering::Release); unsafe { _mm_clflush(stamp.as_ptr() as *const u8); } unsafe { _mm_sfence(); } },",
  ],
};

const sample: ReadonlySet<string> = new Set(["repair/journal MISSING_FENCE in Rust"]);
const taken = curableInRust.filter(({ name }) => process.env.SEEDED === "all" || sample.has(name));

describe.runIf(hasRust)("is repaired", () => {
  it.each(taken)("$name", { timeout: 600_000 }, async (row) => {
    const mended = await mend(row);
    const lines = mended.changes.flatMap(({ diff }) => diff.split("\n")).filter((line) => /^[-+][^-+]/.test(line));
    expect(lines).toEqual(added[row.name]);
    await expectCured(row, mended);
  });
});
