/** What a machine can check about our own code. Every check is first shown a sample it must complain about. */
import { describe, expect, it } from "vitest";
import { banViolations, leftoverViolations, lockFileViolations } from "./tidy/bans.ts";
import { deadFiles } from "./tidy/imports.ts";
import {
  allTables,
  banned,
  disorder,
  emptyBans,
  foreignExports,
  indexViolations,
  layerCycle,
  layerViolations,
  unusedLayers,
} from "./tidy/layers.ts";
import { fileLengthViolations, functionLengthViolations, maxFileLines, maxFunctionLines } from "./tidy/lengths.ts";
import {
  describeViolations,
  projectPaths,
  projectSources,
  readProjectFile,
  sourceFrom,
  type Violation,
} from "./tidy/sources.ts";
import { bannedNames, readGlossary, sharedNames, staleWords, wordsOf } from "./tidy/vocabulary.ts";

const paths = projectPaths();
const sources = projectSources(paths);

const none = (violations: readonly Violation[]) => expect(describeViolations(violations)).toEqual([]);
const says = (violations: readonly Violation[]) => violations.map((violation) => violation.says);

describe("layers", () => {
  const table = { low: [], high: ["low"] };
  it("complains about an import that goes up", () => {
    const bad = sourceFrom("src/low/a.ts", 'import { b } from "../high/index.ts";');
    expect(describeViolations(layerViolations([bad], table))).toEqual(["src/low/a.ts:1 low may not import high"]);
  });
  it("complains about lazy and type-only imports too", () => {
    const lazy = sourceFrom("src/low/a.ts", 'const b = () => import("../high/index.ts");');
    const typeOnly = sourceFrom("src/low/b.ts", 'type B = import("../high/index.ts").B;');
    const again = sourceFrom("src/low/c.ts", 'export * from "../high/index.ts";');
    expect(layerViolations([lazy, typeOnly, again], table)).toHaveLength(3);
  });
  it("complains about a folder without a row", () => {
    expect(says(layerViolations([sourceFrom("src/other/a.ts", "")], table))).toEqual([
      "folder other of src is not in src/layers.ts",
    ]);
  });
  it("lets imports go down, and tests go anywhere", () => {
    const good = sourceFrom("src/high/a.ts", 'import { b } from "../low/index.ts";');
    const test = sourceFrom("src/low/a.test.ts", 'import { b } from "../high/index.ts";');
    none(layerViolations([good, test], table));
  });
  it("finds a cycle in a table", () => {
    expect(layerCycle({ a: ["b"], b: ["c"], c: ["b"] })).toEqual(["b", "c", "b"]);
  });
  it("complain about an import between folders of one folder", () => {
    const bad = sourceFrom(
      "src/machine/low/a.ts",
      'import { b } from "../high/index.ts"; import "../../base/index.ts";',
    );
    expect(says(layerViolations([bad], table, "src/machine"))).toEqual(["low may not import high"]);
    const engine = sourceFrom("src/engines/one/a.ts", 'import { b } from "../two/index.ts";');
    expect(says(layerViolations([engine], { one: [], two: [] }, "src/engines"))).toEqual(["one may not import two"]);
  });
  it.each(allTables)("below %s hold in the project", (scope, own) => none(layerViolations(sources, own, scope)));
  it.each(allTables)("below %s have no cycle", (_scope, own) => expect(layerCycle(own)).toBeUndefined());
  it("are listed from the lowest up", () => {
    expect(disorder({ high: ["low"], low: [] })).toEqual(["low stands after high"]);
    for (const [, own] of allTables) expect(disorder(own)).toEqual([]);
  });
  it("complain about what a ban takes away again", () => {
    const bans = [{ from: "high/in", to: ["low/a"], why: "it is shy" }];
    const bad = sourceFrom(
      "src/high/in/a.ts",
      'import { b } from "../../low/a/index.ts"; import "../../low/b/index.ts";',
    );
    const other = sourceFrom("src/high/a.ts", 'import { b } from "../low/a/index.ts";');
    expect(says(banned([bad, other], bans))).toEqual(["high/in may not import src/low/a/index.ts: it is shy"]);
    expect(emptyBans([bad, other], bans)).toEqual(["low/a"]);
  });
  it("keep apart what the tables would allow", () => {
    none(banned(sources));
    expect(emptyBans(sources)).toEqual([]);
  });

  const low = sourceFrom("src/low/a.ts", "");
  const high = sourceFrom("src/high/a.ts", 'import { b } from "../low/index.ts";');
  it("complain about a row without a folder and an entry that nobody uses", () => {
    none(unusedLayers([low, high], table, "src", {}));
    expect(says(unusedLayers([low], table, "src", {}))).toEqual(["there is no folder src/high: drop its row"]);
    const idle = sourceFrom("src/high/a.ts", "");
    expect(says(unusedLayers([low, idle], table, "src", {}))).toEqual(["high imports nothing of low: drop the entry"]);
    const test = sourceFrom("src/high/a.test.ts", 'import { b } from "../low/index.ts";');
    expect(unusedLayers([low, idle, test], table, "src", {}), "a test's import does not count").toHaveLength(1);
  });
  it("wait for a folder as long as it is not there", () => {
    none(unusedLayers([high], { high: ["low"], low: [] }, "src", { low: "soon" }));
    expect(says(unusedLayers([low, high], table, "src", { low: "soon" }))).toEqual([
      "src/low is there: nobody waits for it any longer",
    ]);
  });
  it.each(allTables)("below %s are all in use", (scope, own) => none(unusedLayers(sources, own, scope)));
});

describe("a folder is imported through its index", () => {
  it("complains about an import of an inner file", () => {
    const bad = sourceFrom("src/high/a.ts", 'import { b } from "../low/b.ts";');
    expect(says(indexViolations([bad]))).toEqual(["import src/low/index.ts, not src/low/b.ts"]);
  });
  it("complains inside a folder too", () => {
    const bad = sourceFrom("src/machine/index.ts", 'import { b } from "./cpu/machine.ts";');
    expect(says(indexViolations([bad], "src/machine"))).toEqual([
      "import src/machine/cpu/index.ts, not src/machine/cpu/machine.ts",
    ]);
  });
  it("asks for the index of an inner folder where a storey has none", () => {
    const inner = sourceFrom("src/low/a/index.ts", "");
    const good = sourceFrom("src/high/a.ts", 'import { b } from "../low/a/index.ts";');
    const bad = sourceFrom("src/high/b.ts", 'import { b } from "../low/a/b.ts";');
    expect(says(indexViolations([inner, good, bad]))).toEqual(["import src/low/a/index.ts, not src/low/a/b.ts"]);
    const whole = sourceFrom("src/low/index.ts", "");
    expect(says(indexViolations([inner, good, whole]))).toEqual(["import src/low/index.ts, not src/low/a/index.ts"]);
  });
  it.each(allTables)("below %s holds in the project", (scope) => none(indexViolations(sources, scope)));
});

describe("a folder exports only its own", () => {
  it("complains about an index that exports what another folder owns", () => {
    const bad = sourceFrom("src/report/render/index.ts", 'export { a } from "../document/index.ts";');
    expect(foreignExports([bad])).toHaveLength(1);
    const outer = sourceFrom("src/machine/index.ts", 'export { a } from "../base/index.ts";');
    expect(says(foreignExports([outer]))).toEqual([
      "exports what belongs to src/base/index.ts: who needs it imports it from there",
    ]);
  });
  it("leaves a storey's index and a folder's own files alone", () => {
    const storey = sourceFrom("src/machine/index.ts", 'export { a } from "./cpu/index.ts";');
    const inner = sourceFrom("src/trace/events/btrace/a.ts", 'export { a } from "../tables.ts";');
    none(foreignExports([storey, inner, sourceFrom("src/index.ts", 'export { a } from "./base/index.ts";')]));
  });
  it("holds in the project", () => none(foreignExports(sources)));
});

describe("dead files", () => {
  it("are complained about, with what only they import", () => {
    const live = sourceFrom("src/index.ts", 'export * from "./a.ts";');
    const used = sourceFrom("src/a.ts", 'const worker = new URL("./b.ts", import.meta.url);');
    const worker = sourceFrom("src/b.ts", "");
    const dead = sourceFrom("src/c.ts", 'import "./d.ts";');
    const under = sourceFrom("src/d.ts", "");
    expect(deadFiles([live, used, worker, dead, under]).map(({ path }) => path)).toEqual(["src/c.ts", "src/d.ts"]);
  });
  it("do not exist in the project", () => none(deadFiles(sources)));
});

describe("bans", () => {
  const samples: readonly [code: string, complaint: RegExp][] = [
    ["Date.now()", /clock/],
    ["new Date()", /clock/],
    ["performance.now()", /clock/],
    ["Math.random()", /random/],
    ['places[0].says.startsWith("lost")', /fact/],
    ['/^lost/.test(place?.says ?? "")', /fact/],
    ["process.env.HOME", /process/],
    ['import { readFileSync } from "node:fs";', /node:fs/],
    ["[2, 1].sort()", /comparator/],
    ["[2, 1].toSorted()", /comparator/],
    ['"a".localeCompare("b")', /another order/],
    ["let a: any;", /unknown/],
    ["export default 1;", /by name/],
    ["export default function a() {}", /by name/],
    ["it.only('a', () => {})", /alone/],
    ["describe.skip('a', () => {})", /alone/],
    ["hashText(JSON.stringify(state))", /JSON/],
  ];
  it.each(samples)("complain about %s", (code, complaint) => {
    const complaints = says(banViolations(sourceFrom("src/machine/a.ts", code)));
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toMatch(complaint);
  });
  it("leave comments, strings and sorted comparisons alone", () => {
    none(banViolations(sourceFrom("src/machine/a.ts", '// Date.now() any\n"process.env"; [1].sort((a, b) => a - b);')));
  });
  it("know a local variable from the global of its name", () => {
    none(
      banViolations(
        sourceFrom("src/machine/a.ts", "const f = ({ process }: Kernel) => { g(() => process.threads); };"),
      ),
    );
    none(
      banViolations(sourceFrom("src/machine/a.ts", "function f() { const process = g(); return process.threads; }")),
    );
    const outside = "function f(process: Process) {} const home = process.env;";
    expect(banViolations(sourceFrom("src/machine/a.ts", outside))).toHaveLength(1);
  });
  it("let the host's side see the host", () => {
    none(banViolations(sourceFrom("src/host/a.ts", 'import "node:fs"; process.cwd(); Date.now();')));
  });
  it("hold in the project", () => none(sources.flatMap(banViolations)));
});

describe("leftovers", () => {
  const word = ["FIX", "ME"].join("");
  it("are complained about, in comments too", () => {
    expect(leftoverViolations("src/a.ts", `one\n// ${word}: later`)).toHaveLength(1);
    expect(leftoverViolations("src/a.ts", `one\n// ${word.toLowerCase()}, ${word}S`)).toHaveLength(0);
  });
  it("do not exist in the project", () => {
    none(paths.flatMap((path) => leftoverViolations(path, readProjectFile(path))));
  });
});

describe("the lock file", () => {
  const lock = (entry: object) => JSON.stringify({ packages: { "node_modules/a": entry } }, null, 2);
  it("complains about a registry's host", () => {
    expect(lockFileViolations(lock({ resolved: "https://registry.example/a.tgz" }))).toHaveLength(1);
  });
  it("complains about a package of another platform that has no entry", () => {
    expect(says(lockFileViolations(lock({ optionalDependencies: { "a-darwin": "1" } })))).toEqual([
      "has no entry for a-darwin",
    ]);
  });
  it("names none and is complete", () => none(lockFileViolations(readProjectFile("package-lock.json"))));
});

describe("lengths", () => {
  const lines = (count: number) => "let a;\n".repeat(count);
  it("complain about a long file unless it is listed, and about a stale listing", () => {
    const long = sourceFrom("src/a.ts", lines(maxFileLines + 1));
    expect(fileLengthViolations([long], {})).toHaveLength(1);
    expect(fileLengthViolations([long], { "src/a.ts": "a table" })).toHaveLength(0);
    expect(says(fileLengthViolations([], { "src/a.ts": "a table" }))).toEqual(["is short enough: drop its exception"]);
  });
  it("complain about a long function, method and arrow function", () => {
    const body = `{\n${lines(maxFunctionLines)}}`;
    const code = `function a() ${body}\nclass B { c() ${body} }\nconst d = () => ${body};`;
    const source = sourceFrom("src/a.ts", code);
    expect(functionLengthViolations(source, { "src/a.ts c": "a table" })).toHaveLength(2);
    expect(says(functionLengthViolations(source))).toEqual([
      "a has 72 lines; at most 70",
      "c has 72 lines; at most 70",
      "d has 72 lines; at most 70",
    ]);
  });
  it("do not count a group of tests as a function", () => {
    const code = `describe("a", () => {\n${lines(100)}});`;
    none(functionLengthViolations(sourceFrom("test/a.test.ts", code)));
    expect(functionLengthViolations(sourceFrom("src/a.ts", code))).toHaveLength(1);
  });
  it("of files hold in the project", () => none(fileLengthViolations(sources)));
  it("of functions hold in the project", () => none(sources.flatMap((source) => functionLengthViolations(source))));
});

describe("words", () => {
  const sample = readGlossary(
    [
      "| word | meaning | rather than |\n|---|---|---|\n| fence | a fence | `barrier`, `fencepost` |\n",
      "## Words that mean something else too\n\n| word | where | why |\n|---|---|---|\n| `barrier` | `src/machine` | Linux |\n",
      "## Types of one name\n\n| names | why |\n|---|---|\n| `Both` | apart |\n",
    ].join("\n"),
  );
  it("are found in names", () => {
    expect(wordsOf("readIOBarriers_now")).toEqual(["read", "io", "barriers", "now"]);
    const code =
      "function takeBarriers(fencePost: number) { const { barrier: own } = x; } interface A { barrier(): void }";
    expect(says(bannedNames([sourceFrom("src/a/a.ts", code)], sample)).map((text) => text.split(":")[0])).toEqual([
      "takeBarriers",
      "fencePost",
      "barrier",
    ]);
  });
  it("are left alone where the glossary says so, and in tests", () => {
    const code = "const barrier = 1;";
    none(bannedNames([sourceFrom("src/machine/a.ts", code), sourceFrom("src/a/a.test.ts", code)], sample));
  });
  it("need no exception that nothing uses", () => {
    none(staleWords([sourceFrom("src/machine/a.ts", "const barrier = 1;")], sample));
    expect(says(staleWords([], sample))).toEqual(["barrier is not in src/machine: drop the row"]);
  });
  const exporting = (path: string, name: string) => sourceFrom(path, `export interface ${name} {}`);
  it("of types are one folder's, unless the glossary says why not", () => {
    const both = [exporting("src/a/a.ts", "Both"), exporting("src/b/b.ts", "Both")];
    none(sharedNames(both, sample));
    expect(says(sharedNames([...both, exporting("src/a/c.ts", "C"), exporting("src/b/c.ts", "C")], sample))).toEqual([
      "C is also exported by src/b/c.ts",
    ]);
    expect(says(sharedNames([], sample))).toEqual(["only one folder exports Both: drop it"]);
  });
  const glossary = readGlossary(readProjectFile("docs/GLOSSARY.md"));
  it("of the glossary are used", () => none(bannedNames(sources, glossary)));
  it("have no stale exceptions", () => none(staleWords(sources, glossary)));
  it("of types are one folder's in the project", () => none(sharedNames(sources, glossary)));
});
