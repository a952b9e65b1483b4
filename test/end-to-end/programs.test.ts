/** Real programs, natively and in the machine: the quick rows of `make guests`. */
import { describe, expect, it } from "vitest";
import { compareRow } from "../../tools/guests/compare.ts";
import { rows } from "../../tools/guests/rows.ts";
import { runBlackout } from "./command.ts";

// Builds the command when it is older than its sources.
runBlackout(["--help"]);

describe("real programs", () => {
  it("have names of their own", () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });
  const quick = rows.filter((row) => row.quick);
  const tiers = { interpreted: ["--no-jit"], compiled: [] } as const;
  describe.each(Object.entries(tiers))("%s", (_tier, options) => {
    it.each(quick.map((row) => [row.name, row] as const))("%s", (_name, row) => {
      const verdict = compareRow(row, options);
      expect(verdict.kind === "different" ? verdict.differences : []).toEqual([]);
    });
  });
});
