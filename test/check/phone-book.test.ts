/**
 * A program as users of libpmemobj write it, with a field that its transaction does not add and a flag that is persisted before what
 * it stands for: two findings, each told at the mistake in the words of its line; `fix` cures the first, and says why not the second.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runBlackout } from "../end-to-end/command.ts";
import { reportOf } from "../support/findings.ts";
import { guestSource } from "../support/programs.ts";
import { expectStory } from "./stories.ts";

const everything = process.env.SEEDED === "all";
const folder = mkdtempSync(join(tmpdir(), "blackout-book-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pool = join(folder, "p.pool");
for (const name of ["book.c", "book.cpp", "persistent.hpp"])
  copyFileSync(guestSource(`pmemobj/${name}`), join(folder, name));

/** How it is built there: what is newer than the program is not patched. */
const buildOf = (source: string): string => {
  const compiler = source.endsWith(".c") ? "gcc" : "g++";
  return `${compiler} -g -O1 -w -o ${join(folder, "book")} ${join(folder, source)} -lpmemobj`;
};
const built = (source: string): string => {
  execFileSync("sh", ["-c", buildOf(source)], { stdio: "pipe" });
  return join(folder, "book");
};

const wordsOf = (book: string): readonly string[] => [
  ...["--setup", `${book} create ${pool}`, "--recover", `${book} check ${pool}`],
  ...["--", book, "fill", pool],
];

describe("the phone book", () => {
  it.each([["book.c"], ...(everything ? [["book.cpp"]] : [])])("%s", async (source) => {
    const report = await reportOf("check", ["--no-explore", ...wordsOf(built(source))]);
    await expectStory(report, `phone-${source.replace(".", "-")}`);
    const errors = report.findings.filter(({ severity }) => severity === "error");
    expect(errors.map(({ mistake }) => mistake)).toEqual(["unadded", "unfinished"]);
    // Nothing is told by its place in the pool that has a name.
    expect(errors.map(({ headline }) => headline).join()).not.toMatch(/0x/);
  });

  it.runIf(everything)("is cured of the first, and the second is left with the reason", () => {
    const words = ["--apply", "--rebuild", buildOf("book.c"), ...wordsOf(built("book.c"))];
    const { code, stdout, stderr } = runBlackout(["fix", ...words]);
    expect(stdout).toContain("+\t\tTX_ADD_DIRECT(&book->count);\n");
    expect(stderr).toContain("book.c:65 in add: tested: the failure is gone");
    expect(stderr).toMatch(/not fixed: book\.c:108 in leave_note: .*\n {2}No flush or fence cures it: .*wrong order/);
    expect(stderr).toContain("built again: 1 error\n");
    expect(code).toBe(1);
  });
});
