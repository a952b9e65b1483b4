/** What keeps a version from being published. */
import { expect, it } from "vitest";
import { releaseComplaints } from "../../tools/package/release-checks.mjs";

const ready = {
  manifest: "1.2.0",
  lock: "1.2.0",
  source: "1.2.0",
  changelog: "# Changelog\n\n## Unreleased\n\n## 1.2.0 (2026-11-01)\n\n- New.\n\n## 1.1.0\n\n- Old.\n",
  status: "",
  tags: ["v1.2.0"],
};

it("is ready", () => {
  expect(releaseComplaints(ready)).toEqual([]);
  expect(releaseComplaints({ ...ready, changelog: "## 1.2.0\n\n- New.\n" })).toEqual([]);
});

it.each([
  [{ lock: "1.1.0" }, /package-lock/],
  [{ source: "1.1.0" }, /the sources have version 1\.1\.0/],
  [{ changelog: "## Unreleased\n\n## 1.1.0\n" }, /begins with "1\.1\.0"/],
  [{ changelog: "## Unreleased\n\n- More.\n\n## 1.2.0\n" }, /still has lines under Unreleased/],
  [{ changelog: "" }, /begins with ""/],
  [{ status: " M README.md" }, /not committed/],
  [{ tags: ["v1.1.0"] }, /no tag v1\.2\.0/],
])("is not with %j", (change, complaint) => {
  expect(releaseComplaints({ ...ready, ...change })).toEqual([expect.stringMatching(complaint)]);
});
