/** Docs say what is so: each check is first shown a page it must complain about (test/tidy/docs.ts). */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { awaited, innerLayers, layers } from "../src/layers.ts";
import { rules as modelRules } from "../src/model/pmem/index.ts";
import { figureViolations, mapViolations, type Page, pathViolations, ruleViolations } from "./tidy/docs.ts";
import { describeViolations, projectPaths, projectRoot, readProjectFile, type Violation } from "./tidy/sources.ts";

const page = (text: string): Page => ({ path: "docs/a.md", text });
const read = (path: string): Page => ({ path, text: readProjectFile(path) });
const none = (violations: readonly Violation[]) => expect(describeViolations(violations)).toEqual([]);
const says = (violations: readonly Violation[]) => violations.map((violation) => violation.says);

const pages = [
  ...["README.md", "CONTRIBUTING.md"],
  ...["docs", "docs/rules"].flatMap((folder) =>
    readdirSync(join(projectRoot, folder)).flatMap((name) => (name.endsWith(".md") ? [`${folder}/${name}`] : [])),
  ),
].filter((path) => existsSync(join(projectRoot, path)));

describe("the map", () => {
  const map = page("## The map\n\n| folder | what |\n|---|---|\n| `src/a`, `src/b/c` | `src/c` too |\n\n## Else\n");
  it("complains about a folder without a row and a row without a folder", () => {
    none(mapViolations(map, ["a", "b/c"]));
    expect(says(mapViolations(map, ["a", "c"]))).toEqual([
      "the map has no row for src/c",
      "there is no folder src/b/c",
    ]);
  });
  it("has every folder of the layers", () => {
    none(
      mapViolations(
        read("docs/ARCHITECTURE.md"),
        Object.keys(layers)
          .filter((storey) => !(storey in awaited))
          .flatMap((storey) => {
            const inner = Object.keys(innerLayers[storey] ?? {});
            return inner.length === 0 ? [storey] : inner.map((folder) => `${storey}/${folder}`);
          }),
      ),
    );
  });
});

describe("paths in docs", () => {
  const exists = (path: string) => ["src/vm/a.ts", "docs/b.md", "test/x"].includes(path);
  const check = (text: string) => says(pathViolations(page(text), ["src", "test", "docs"], ["vm"], exists));
  it("complain about what is not there", () => {
    expect(check("`src/vm/a.ts`, `vm/a.ts`, `npx x test/x/*.ts`, [b](docs/b.md), `and/or`, `vm/`")).toEqual([]);
    expect(check("`src/vm/b.ts` `vm/c.ts`\n```\nnpx tsx test/y.ts\n```\n[b](docs/c.md)")).toEqual([
      "there is no test/y.ts",
      "there is no src/vm/b.ts",
      "there is no vm/c.ts",
      "there is no docs/c.md",
    ]);
  });
  const roots = ["src", "test", "tools", "bench", "guests", "docs", "examples", "suppressions"];
  it.each(pages)("exist: %s", (path) => {
    none(pathViolations(read(path), roots, Object.keys(layers), (name) => existsSync(join(projectRoot, name))));
  });
});

describe("rules of the model", () => {
  const rules = new Map([
    ["PM-1", "Stores become visible in order."],
    ["PM-2", "A fence completes flushes."],
  ]);
  const check = (text: string) => says(ruleViolations(page(text), rules, true));
  it("complain about a number that is none", () => {
    expect(check("See PM-3, and PM-1 to PM-4.")).toEqual(["there is no rule PM-3", "there is no rule PM-4"]);
  });
  it("complain about a rule that is about something else", () => {
    expect(
      check("A fence completes (PM-2). A store is visible (PM-1). So PM-1. What comes then (PM-1 to PM-2)?"),
    ).toEqual([]);
    expect(check("A store. A fence waits (PM-1). A store")).toEqual([
      "PM-1 is another rule: Stores become visible in order.",
    ]);
  });
  it("are looked for in comments of code", () => {
    const code = "/**\n * A fence\n * waits (PM-1).\n */\nconst a = 'PM-1'; // PM-9";
    expect(says(ruleViolations({ path: "src/a.ts", text: code }, rules, false))).toEqual([
      "there is no rule PM-9",
      "PM-1 is another rule: Stores become visible in order.",
    ]);
  });
  const model = new Map(modelRules.map(({ id, sentence }) => [id as string, sentence]));
  it("are the ones meant, in docs", () => none(pages.flatMap((path) => ruleViolations(read(path), model, true))));
  it("are the ones meant, in code", () => {
    const sources = projectPaths().filter((path) => /^(src|test\/litmus)\/.*\.ts$/.test(path));
    none(sources.flatMap((path) => ruleViolations(read(path), model, false)));
  });
});

describe("figures", () => {
  const results = "| what | time |\n|---|---|\n| hash | 2.4 s, 3 MiB |\n| **mean** | **2.37** |\n";
  const check = (text: string) => says(figureViolations(page(text), results));
  it("complain about one that the results do not have", () => {
    expect(check('[2.4 s](../bench/RESULTS.md "hash") and [2.37](bench/RESULTS.md "mean") of 6 s')).toEqual([]);
    expect(check('[2.5 s](bench/RESULTS.md "hash") [2.4 s](bench/RESULTS.md "tree")')).toEqual([
      "the results do not say 2.5 s of hash",
      'the results have no row "tree"',
    ]);
  });
  it("complain about a measured one that names no row", () => {
    expect(check("It takes 2.4 s.")).toEqual(["2.4 s is measured: link it to its row of bench/RESULTS.md"]);
  });
  it.each(pages)("are those of the benchmarks: %s", (path) => {
    none(figureViolations(read(path), readProjectFile("bench/RESULTS.md")));
  });
});
