/** What a check says of what it went on with. */
import { expect, it } from "vitest";
import { furtherLine } from "./exploration-words.ts";

const judged = { judged: 1, total: 1 };
const coverage = { failurePoints: judged, crashStates: judged, exhaustive: true };
const updates = { behaviours: { judged: 11, total: 121 }, groups: 4, crashStates: "475" };
const explored = (points: number) => ({ failurePoints: { judged: points, total: 214 }, recoveries: 300 });

it("tells of updates that stand for all where not everything was explored", () => {
  expect(furtherLine({ ...coverage, updates, explored: explored(97) })).toBe(
    "\nblackout: tested 11 of 121 updates of persistent objects, for 4 groups of like ones (475 crash states), then explored every crash state of 45% of the run, in 300 recoveries",
  );
  expect(furtherLine({ ...coverage, updates, explored: explored(214) })).toBe(
    "\nblackout: explored every crash state of the run, in 300 recoveries",
  );
  const none = { ...updates, behaviours: { judged: 0, total: 121 } };
  expect(furtherLine({ ...coverage, updates: none, explored: explored(97) })).toBe(
    "\nblackout: explored every crash state of 45% of the run, in 300 recoveries",
  );
  expect(furtherLine({ ...coverage, explored: explored(1) })).toBe(
    "\nblackout: explored every crash state of less than 1% of the run, in 300 recoveries",
  );
  expect(furtherLine(coverage)).toBe("");
});
