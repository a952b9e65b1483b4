/** How far a check is, on terminals of every width. */
import { expect, it } from "vitest";
import type { Done } from "../../session/work/index.ts";
import { progressText } from "./progress.ts";

const done = { items: 1200, itemsInAll: 4000, tested: 240, skipped: 960, findings: 2 } as Done;

it("is not frightened by states that were slow at first", () => {
  const text = progressText({ ...done, items: 100, tested: 50, skipped: 50 }, 100, 120, 300);
  expect(text).toContain("13 s left");
  expect(text).toContain("2 findings so far");
});

it.each([
  [120, "blackout: 1200 of 4000 crash states (30%), 80 tested and 320 skipped a second, 2 findings so far, 7 s left"],
  [80, "blackout: 1200 of 4000 crash states (30%), 2 findings so far, 7 s left"],
  [60, "blackout: 1200 of 4000 crash states (30%), 7 s left"],
  [50, "blackout: 1200 of 4000 crash states (30%)"],
  [20, "blackout: 1200 of 4"],
])("fits %d columns", (columns, text) => {
  expect(progressText(done, 3, columns)).toBe(text);
});
