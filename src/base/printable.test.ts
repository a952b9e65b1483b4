/** Nothing from outside reaches a terminal as a command. */
import { expect, test } from "vitest";
import { printable, printableJson, printableLines, printableOutput } from "./index.ts";

test("a name stays within its line and says what was in it", () => {
  expect(printable("a\u001b]0;title\u0007b\nc\td\re")).toBe("a\\x1b]0;title\\x07b\\nc\\td\\re");
  expect(printable("\u009b2J\u007f\u202eevil\u2066\u2028\u200b")).toBe("\\x9b2J\\x7f\\u202eevil\\u2066\\u2028\\u200b");
  expect(printable("naïve – 名前 🙂")).toBe("naïve – 名前 🙂");
});

test("lines stay lines, and a carriage return alone does not go back", () => {
  expect(printableLines("one\r\ntwo\tx\rthree\u001b[2J\n")).toBe("one\ntwo\tx\\rthree\\x1b[2J\n");
});

test("colours pass, other sequences do not", () => {
  expect(printableOutput("\u001b[31;1mred\u001b[0m \u001b[2J\u001b]8;;x\u0007\n")).toBe(
    "\u001b[31;1mred\u001b[0m \\x1b[2J\\x1b]8;;x\\x07\n",
  );
});

test("no control character survives, whatever the text", () => {
  for (let code = 0; code < 0xe1000; code++) {
    const shown = printable(`a${String.fromCodePoint(code)}b`);
    if (/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u.test(shown)) expect(code).toBe("shown");
  }
});

test("what shows nothing is shown: soft hyphens, joiners, fillers, tags", () => {
  expect(printable("a\u00adb\u034fc\u3164d\u{e0041}e\ufe0ff")).toBe("a\\xadb\\u034fc\\u3164d\\u{e0041}e\\ufe0ff");
});

test("in JSON an escape means the same", () => {
  const value = { text: "\u202eevil\u0007\u009b \u{e0041} naïve", list: ["a\nb"] };
  const json = printableJson(JSON.stringify(value, undefined, 2));
  expect(json).toMatch(/^[\n\x20-\x7eï]*$/);
  expect(JSON.parse(json)).toEqual(value);
});
