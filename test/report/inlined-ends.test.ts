/** The closing line of a function, by its source alone. */
import { expect, it } from "vitest";
import type { ReadingFacts } from "../../src/crash/finding/index.ts";
import { closingLine, withInlinedEnd } from "../../src/report/render/inlined-ends.ts";
import { frame } from "./findings.ts";

const source = `bool whole(struct record *);
/* whole(record) { */
static bool whole(
    const struct record *record) {
  if (record->text[0] == '}' || same(record->text, "}")) { // }
    return whole(record->next);
  }
  return true;
}
static void recover(void) {
  while (whole(&first)) {
    next();
  }
}
template <class T> bool List<T>::whole(T *at) const noexcept {
  return at != nullptr;
}
`;

it.each([
  ["whole", 5, 6, 9],
  ["whole", 8, 8, 9],
  ["recover", 11, 12, 14],
  ["List<int>::whole(int*) const", 16, 16, 17],
  // Called there, not defined; not around both lines; not there at all.
  ["whole", 12, 12, undefined],
  ["recover", 11, 16, undefined],
  ["mend", 5, 6, undefined],
  ["recover::{closure#0}", 11, 12, undefined],
] as const)("of %s around lines %i and %i", (name, first, last, closing) => {
  expect(closingLine(source, name, first, last)).toBe(closing);
});

it("is told of a function that was inlined, unless recovery ended there", () => {
  const at = (line: number, inlined: boolean) => frame("whole", line, { file: "/src/log.c", inlined });
  const told = (inlined: boolean, more: Partial<ReadingFacts> = {}) => {
    const mark = { seq: 1, thread: 1, site: 1, stack: 1 };
    const reading = {
      read: { mark, frames: [at(5, inlined), frame("recover", 11)] },
      own: 0,
      end: at(6, inlined),
      ...more,
    };
    return withInlinedEnd(reading as ReadingFacts, () => source).end?.line;
  };
  expect(told(true)).toBe(9);
  expect(told(false)).toBe(6);
  expect(told(true, { end: at(4, true) })).toBe(4);
  expect(told(true, { ended: true })).toBe(6);
});
