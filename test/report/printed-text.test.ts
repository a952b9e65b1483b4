/** Outputs that differ look different in a report. */
import { expect, test } from "vitest";
import { printedAgainst, printedTexts } from "../../src/report/render/printed-text.ts";

test("what was printed is told in one line", () => {
  expect(printedTexts(["one\n  two\n", "three\n"])).toEqual(['"one / two"', '"three"']);
});

test("an empty line is not nothing", () => {
  const either = (right: readonly string[]) => right.join(" or ");
  expect(printedAgainst("\n", ["", "Hello\n"], either)).toBe('"\\n"; after a clean stop it prints nothing or "Hello"');
});

test("outputs that differ in their ends alone are told to the letter", () => {
  expect(printedTexts(["a\n", "a", "b\n"])).toEqual(['"a\\n"', '"a"', '"b"']);
});
