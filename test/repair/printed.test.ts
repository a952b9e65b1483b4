/** What a repair prints is what it verified: mistakes as people write them, in one program that each of them is a run of. */
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { withoutText } from "../../src/engines/index.ts";
import { pool } from "../check/guests.ts";
import { compileGuest } from "../support/programs.ts";
import { subjectOf } from "../support/subject.ts";
import { mended } from "./mending.ts";

const mendRow = (name: string) => {
  const program = compileGuest("repair/printed.c", ["-static", "-g", "-O1"]);
  const { options } = subjectOf([program, name, pool], { recover: [program, name, pool, "check"] });
  return mended(options, resolve("guests"), false, (repair) => repair.run());
};

const addedBy = ({ changes }: Awaited<ReturnType<typeof mendRow>>) =>
  changes.flatMap(({ diff }) => diff.match(/^\+(?!\+\+).*$/gm) ?? []).map((line) => line.slice(1).trim());

it("what has no place in the source is not called fixed", async () => {
  const made = await mendRow("returned");
  expect({ placed: made.placed, changes: made.changes }).toEqual({ placed: [], changes: [] });
  expect(made.without.map(({ fix, placed }) => withoutText(fix, placed)).join()).toMatch(
    /^not fixed: printed\.c:28.*not in the source, because nothing after it in its block runs$/s,
  );
});

it("nothing of a fix is printed that is not there as a whole", async () => {
  const made = await mendRow("both");
  expect(made.without).toHaveLength(1);
  expect(addedBy(made)).toEqual([]);
});

it("what a crash kept though nothing had flushed it may be what has to wait", async () => {
  const made = await mendRow("versioned");
  expect(made.refusals).toEqual([]);
  expect(addedBy(made)).toEqual(["persist(&pool->version, sizeof(pool->version));"]);
});
