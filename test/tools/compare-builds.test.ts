/** The parts of the comparison of two builds that need no build. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { allCases } from "../../tools/compare-builds/cases.ts";
import { difference } from "../../tools/compare-builds/difference.ts";
import { withoutNames, withoutProgress } from "../../tools/compare-builds/reports.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-compare-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a difference", () => {
  it("is none between equal lists", () => expect(difference(["a", "b"], ["a", "b"])).toBeUndefined());
  it("shows what one list has and the other has not", () => {
    expect(difference(["a", "b", "c"], ["a", "x", "y", "c"])).toBe("@ line 2\n- b\n+ x\n+ y");
    expect(difference(["a", "a"], ["a"])).toBe("@ line 2\n- a");
  });
  it("is short", () => {
    const many = Array.from({ length: 100 }, (_, index) => `${index}`);
    expect(difference([], many)!.split("\n").at(-1)).toBe("+ and 88 more lines");
  });
});

it("the folders of two builds are not a difference", () => {
  expect(withoutNames("/old/guests/a.c", ["/old"])).toBe(withoutNames("/new/guests/a.c", ["/new"]));
  expect(withoutNames("/old/a.c", ["/old"])).not.toBe(withoutNames("/new/b.c", ["/new"]));
});

it("how far a check was at some time is not a difference", () => {
  const progress =
    "blackout: 8 of 40 crash states (20%), 0 tested and 0 skipped a second, 0 findings so far, 4 min left\n";
  const result = "blackout: 4 failure points, 40 crash states, all judged\n";
  expect(withoutProgress(`${progress}${progress}${result}`)).toBe(result);
});

it("cases have names of their own, and the sample is part of them", () => {
  const names = allCases(folder, false).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const sample = allCases(folder, true).map(({ name }) => name);
  expect(sample.length).toBeGreaterThan(20);
  expect(sample.filter((name) => !names.includes(name))).toEqual([]);
});
