/** Choices as one line of text: there and back again. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Choice, choiceText, parseChoices } from "../../src/crash/states/index.ts";

const number = fc.nat(2 ** 31);
const choice: fc.Arbitrary<Choice> = fc.oneof(
  fc.record({ kind: fc.constant("turn" as const), thread: number, instructions: number }),
  fc.record(
    { kind: fc.constant("drain" as const), thread: number, stores: number, behind: number },
    { requiredKeys: ["kind", "thread", "stores"] },
  ),
  fc.record({ kind: fc.constant("input" as const), at: number, bytes: fc.array(fc.nat(255)) }),
  fc.record({ kind: fc.constant("crash" as const), before: number }),
  fc.record({ kind: fc.constant("again" as const), before: number }),
  fc.record(
    {
      kind: fc.constant("cut" as const),
      path: fc.string({ minLength: 1, unit: "grapheme" }).map((name) => `/pm/${name}`),
      line: number,
      kept: number,
      pieces: fc.array(fc.nat(7)),
    },
    { requiredKeys: ["kind", "path", "line", "kept"] },
  ),
);

it("every list of choices can be pasted", () => {
  fc.assert(
    fc.property(fc.array(choice), (choices) => {
      const text = choiceText(choices);
      expect(text).not.toMatch(/\n/);
      expect(parseChoices(text)).toEqual(choices);
    }),
  );
});

it.each(["leap:3", "crash:", "cut:3=4", "turn:1*", "drain:1*2/", "constructor:1", "crash:-1", "again:1e9"])(
  "%s is refused",
  (text) => {
    expect(() => parseChoices(text)).toThrow("is no choice");
  },
);
