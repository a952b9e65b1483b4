/** Bytes that are text are shown as text, all others as numbers. */
import { expect, test } from "vitest";
import { valueWords } from "./byte-text.ts";

const little = (text: string): bigint =>
  [...text].reduceRight((value, letter) => (value << 8n) | BigInt(letter.charCodeAt(0)), 0n);

test("values in words", () => {
  expect(valueWords(little("record 1"), 8)).toBe('"record 1"');
  expect(valueWords(little("ok"), 8)).toBe('"ok"');
  expect(valueWords(42n, 8)).toBe("42");
  expect(valueWords(9999n, 8)).toBe("9999");
  expect(valueWords(0x197da57eb572fca3n, 8)).toBe("0x197da57eb572fca3");
  expect(valueWords(little("A"), 4)).toBe("65");
  expect(valueWords(little("a\u0000b"), 8)).toBe("0x620061");
  expect(valueWords(little('say "x"'), 8)).toBe('"say \\"x\\""');
});
