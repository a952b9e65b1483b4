import { describe, expect, it } from "vitest";
import { globPattern } from "./glob.ts";
import { below, pick, seedRandom } from "./random.ts";
import { wildcardPattern } from "./wildcards.ts";

/** As regular expressions, which go back and forth: what short patterns mean is the same. */
const slowWildcard = (text: string): RegExp => new RegExp(`^${text.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s");
const slowGlob = (text: string): RegExp =>
  new RegExp(
    `^${text.replace(/\*\*|[*?]|\[!/g, (part) => ({ "**": ".*", "*": "[^/]*", "?": "[^/]", "[!": "[^/" })[part]!)}$`,
    "s",
  );

function expectTwins(parts: readonly string[], fast: typeof globPattern, slow: (text: string) => RegExp): void {
  const random = seedRandom(7);
  const some = (from: readonly string[], most: number) =>
    Array.from({ length: below(random, most) }, () => pick(random, from)).join("");
  let matches = 0;
  for (let round = 0; round < 4000; round++) {
    const [pattern, text] = [some(parts, 7), some(["a", "b", "/"], 8)];
    const expected = slow(pattern).test(text);
    if (expected) matches++;
    expect(fast(pattern).test(text), `${pattern} over ${text}`).toBe(expected);
  }
  expect(matches).toBeGreaterThan(100);
}

describe("wildcards", () => {
  it("match what regular expressions say", () => expectTwins(["a", "b", "*", "?", "/"], wildcardPattern, slowWildcard));
  it("take no time for many stars", () => {
    expect(wildcardPattern(`${"*a".repeat(2000)}b`).test("a".repeat(4000))).toBe(false);
  });
});

describe("globs", () => {
  it("match what regular expressions say", () =>
    expectTwins(["a", "b", "*", "**", "?", "/", "[ab]", "[!a]", "[a-b]"], globPattern, slowGlob));
  it("take no time for many stars", () => {
    expect(globPattern(`/${"*".repeat(61)}x`).test(`/${"y".repeat(200)}`)).toBe(false);
    expect(globPattern(`/${"*y".repeat(60)}x`).test(`/${"y".repeat(200)}`)).toBe(false);
  });
  it("refuse a range that ends before it begins", () => {
    expect(() => globPattern("/mnt/[z-a]")).toThrow('The pattern "/mnt/[z-a]" has the range z-a');
  });
  it.each([
    ["[]x", "[]x", false],
    ["[]a]x", "]x", true],
    ["a[b", "a[b", true],
    ["[a-]", "-", true],
    ["a.b$", "a.b$", true],
  ])("%s over %s: %s", (glob, path, matches) => expect(globPattern(glob).test(path)).toBe(matches));
});
