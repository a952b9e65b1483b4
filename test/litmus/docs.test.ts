/** docs/MODEL.md says what the code says: the rules, the tests that catch them, and the order table. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programKinds, programOrderCell, rules } from "../../src/model/pmem/index.ts";

const text = readFileSync(join(import.meta.dirname, "..", "..", "docs", "MODEL.md"), "utf8");

test.each(rules.map((rule) => [rule.id, rule] as const))("%s", (id, { kind, sentence, caughtBy }) => {
  expect(text).toContain(`| ${id} | ${kind} | ${sentence} | ${caughtBy.map((name) => `\`${name}\``).join(", ")} |`);
});

test("the order table", () => {
  const signs = { always: "✓", line: "CL", never: "✗" } as const;
  for (const earlier of programKinds) {
    const cells = programKinds.map((later) => signs[programOrderCell(earlier, later)]);
    expect(text).toContain(`| **${earlier}** | ${cells.join(" | ")} |`);
  }
});
