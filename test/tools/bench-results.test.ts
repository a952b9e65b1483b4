/** What a run of some benches leaves of the others' results. */
import { expect, it } from "vitest";
import { sectionsOf, withSections } from "../../bench/results.ts";

const page = "# Results\n\nA computer.\n\n## Rules\n\n| a |\n\n## Litmus\n\n### more\n\n2\n";

it("a page has its sections", () => {
  expect(sectionsOf(page)).toEqual(["## Rules\n\n| a |", "## Litmus\n\n### more\n\n2"]);
});

it("what a bench tells is a page, too", () => {
  expect(sectionsOf("## Pools\n\n3\n")).toEqual(["## Pools\n\n3"]);
});

it("a section that was measured takes the place of the old one, a new one comes last", () => {
  expect(withSections(sectionsOf(page), ["## Rules\n\n| b |", "## Pools\n\n3"])).toEqual([
    "## Rules\n\n| b |",
    "## Litmus\n\n### more\n\n2",
    "## Pools\n\n3",
  ]);
});
