/** What is read last after a check: what ended early, if anything did. */
import { expect, it } from "vitest";
import type { Coverage } from "../../report/document/index.ts";
import { closingLines } from "./check-closing.ts";

const all = { failurePoints: { judged: 3, total: 3 }, crashStates: { judged: 9, total: 9 }, exhaustive: true };
const functions = { total: 2, neverRan: [{ function: "gone", file: "list.c", line: 4 }] };
const explored = (judged: number) => ({ explored: { failurePoints: { judged, total: 8 }, recoveries: 5 } });

const closing = (coverage: Partial<Coverage>, empty?: string) =>
  closingLines({}, { ...all, functions, ...coverage }, { flags: {}, checksums: [], empty }).split("\n");

it("is what the findings say nothing of, where nothing ended early", () => {
  expect(closing(explored(8))).toEqual([
    "blackout: 3 failure points, 9 crash states, all judged",
    "blackout: explored every crash state of the run, in 5 recoveries",
    "blackout: 1 of your 2 functions never ran: gone",
  ]);
});

it("is the exploration that ended early", () => {
  expect(closing(explored(3)).at(-1)).toBe("blackout: explored every crash state of 37% of the run, in 5 recoveries");
});

it("is the check that was stopped", () => {
  const stopped = { stop: "time", crashStates: { judged: 3, total: 9 } } as const;
  expect(closing(stopped).at(-1)).toBe(
    "blackout: stopped by --time: 3 of 3 failure points, 3 of 9 crash states judged (33.3%)",
  );
  expect(closing({ ...stopped, crashStates: { judged: 0, total: 0 } }).at(-1)).toMatch(/judged \(0\.0%\)$/);
});

it("is why nothing was tested", () => {
  expect(closing(explored(8), "nothing was tested").at(-1)).toBe("blackout: nothing was tested");
});
