import { expect, test } from "vitest";
import { finding, frame } from "../../../test/report/findings.ts";
import { unaddedStores, withoutUnadded } from "./unadded.ts";

test("what rules say of a line that a transaction did not add is one mistake, and no flush's", () => {
  const unadded = finding("unadded-store", "error", [frame("add", 65)]);
  const transient = finding("transient-data", "error", [frame("add", 65)]);
  const other = finding("missing-flush", "error", [frame("add", 66)]);
  expect(unaddedStores([transient, unadded, other])).toEqual([{ finding: unadded, shownBy: [transient] }]);
  expect(withoutUnadded([transient, unadded, other])).toEqual([other]);
  expect(withoutUnadded([transient, other])).toEqual([transient, other]);
});
