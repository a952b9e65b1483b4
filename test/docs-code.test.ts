/** Comments name files that are there, and the architecture's tour functions that are (test/tidy/comments.ts). */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ruleCatalogue } from "../src/engines/index.ts";
import { commentPathViolations, countViolations, functionViolations } from "./tidy/comments.ts";
import type { Page } from "./tidy/docs.ts";
import { describeViolations, projectPaths, projectRoot, readProjectFile, type Violation } from "./tidy/sources.ts";

const none = (violations: readonly Violation[]) => expect(describeViolations(violations)).toEqual([]);
const says = (violations: readonly Violation[]) => violations.map((violation) => violation.says);
const isThere = (path: string): boolean => existsSync(join(projectRoot, path));
const read = (path: string): Page => ({ path, text: readProjectFile(path) });

describe("paths in comments", () => {
  const code = (text: string): Page => ({ path: "src/a/b.ts", text });
  const exists = (path: string) => ["src/a/c.ts", "docs/adr/0001-a.md"].includes(path);
  const check = (text: string) => says(commentPathViolations(code(text), ["a", "docs", "src"], exists));
  it("complain about what is not there", () => {
    expect(check("/** As a/c.ts says (docs/adr/0001-a.md), `src/a/c.ts`. */")).toEqual([]);
    expect(check("// a/d.ts\n/* docs/adr/0002-b.md */")).toEqual([
      "there is no a/d.ts",
      "there is no docs/adr/0002-b.md",
    ]);
  });
  it("leave alone what is no path of ours, and code", () => {
    expect(check('// in /tmp/a/x.c, other/a.ts, a/*.ts\nconst a = "a/d.ts";')).toEqual([]);
  });
  it("exist", () => {
    const storeys = readdirSync(join(projectRoot, "src"));
    const roots = [...storeys, ...["src", "docs", "test", "tools", "bench", "guests", "examples"]];
    const files = projectPaths().filter((path) => /^(src|test|tools|bench)\/.*\.(ts|tsx|mjs)$/.test(path));
    const ours = files.filter((path) => !path.startsWith("test/tidy") && !/^test\/(docs|tidy)/.test(path));
    none(ours.flatMap((path) => commentPathViolations(read(path), roots, isThere)));
  });
});

describe("numbers of decisions", () => {
  it("are each one decision's", () => {
    const numbers = readdirSync(join(projectRoot, "docs/adr")).map((name) => name.slice(0, 4));
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  });
});

describe("functions in the architecture", () => {
  const page = (text: string): Page => ({ path: "docs/a.md", text });
  const texts: Readonly<Record<string, string>> = {
    "src/a/b.ts": "export const run = () => 1; class Runner { go(): void {} } export function stop() {}",
  };
  const check = (text: string) => says(functionViolations(page(text), (path) => texts[path]));
  it("complain about what a file does not declare", () => {
    expect(check("`run` in `a/b.ts`, `Runner.go(n)` (`a/b.ts`), `stop()` in `a/b.ts`")).toEqual([]);
    expect(check("`walk` in `a/b.ts`, `Runner.stop` (`a/b.ts`), `go` in `c.ts`")).toEqual([
      "a/b.ts has no walk",
      "a/b.ts has no Runner.stop",
      "there is no src/c.ts",
    ]);
  });
  const architecture = read("docs/ARCHITECTURE.md");
  const readIf = (path: string) => (isThere(path) ? readProjectFile(path) : undefined);
  it("are there", () => none(functionViolations(architecture, readIf)));
  it("are told of each storey that data goes through", () => {
    const tour = architecture.text.slice(architecture.text.indexOf("## Following"));
    expect([...tour.matchAll(/^\| `/gm)].length).toBeGreaterThan(20);
  });
});

describe("counts", () => {
  const page = (text: string): Page => ({ path: "docs/a.md", text });
  it("complain about another number", () => {
    expect(says(countViolations(page("two rules over it, 3 rules over it"), /rules over/, 2))).toEqual([
      "3 is 2 by now",
    ]);
  });
  it("of rules are right", () => none(countViolations(read("README.md"), /rules over/, ruleCatalogue.length)));
});
