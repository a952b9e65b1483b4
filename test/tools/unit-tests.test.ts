/** Which tests `make unit` takes. */
import { expect, it } from "vitest";
import { reaches, unitTests } from "../support/unit-tests.ts";
import { projectRoot } from "../tidy/sources.ts";

it("text is found in a file and in what it imports, also in a circle", () => {
  const files: Record<string, string> = {
    "a/x.ts": 'import { y } from "../b/y.ts";',
    "b/y.ts": 'import "../a/x.ts"; const z = import("./z.ts");',
    "b/z.ts": "here",
    "b/alone.ts": 'import "node:fs";',
  };
  const readFile = (path: string) => files[path] ?? "";
  expect(["a/x.ts", "b/y.ts", "b/alone.ts"].map((path) => reaches(path, /here/, readFile))).toEqual([
    true,
    true,
    false,
  ]);
});

it("tests that compile or run programs are not among the unit tests", () => {
  const tests = unitTests(projectRoot);
  expect(tests).toContain("src/machine/memory/memory.test.ts");
  expect(tests).toContain("test/tidy.test.ts");
  expect(tests).not.toContain("src/machine/cpu/machine.test.ts");
  expect(tests.filter((path) => path.startsWith("test/end-to-end/"))).toEqual([]);
});
