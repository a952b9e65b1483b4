import { describe, expect, it } from "vitest";
import { InputError } from "../../src/base/index.ts";
import {
  countFindings,
  fingerprintOf,
  outsideTheSystem,
  reachesBar,
  resolveDrafts,
  summaryLine,
} from "../../src/crash/finding/index.ts";
import {
  codeFrame,
  findingKeys,
  parseSuppressions,
  readConfig,
  reportJson,
  reportSarif,
  reportText,
  siftFindings,
  suppressionText,
} from "../../src/report/render/index.ts";
import { lineHashes } from "../../src/report/render/line-hash.ts";
import { changesOf } from "../../src/report/render/sarif-fixes.ts";
import { splitCommand } from "../../src/session/subject/index.ts";
import { finding, frame, reportOf, samples } from "./findings.ts";
import { sarifComplaints } from "./sarif-schema.ts";

const source = ["one", "two", "  x = 3;", "four", "five", "six", "seven"].join("\n");
const readSource = (path: string) => (path === "/src/list.c" ? source : undefined);
const sentence = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("nothing was wrong");
};

describe("text", () => {
  const text = reportText(reportOf(samples), { readSource });
  it("tells what, where, the source and the calls", () => {
    expect(text.split("\n\n")[0]).toBe(`error[missing-flush]: list.c:3: a title in put (2 times)
     3 |  x = 3;
       |  ^ the store of 8 bytes at 0x1000 (value 0x2a) was never flushed
  list.c:9: flushed here
  called from ns::insert at list.c:5, from main at list.c:7
  fix: Some advice.`);
  });
  it("says of a rule's error, too, that its fix was tried", () => {
    const report = reportOf(samples);
    const cure = { kind: "keep", stores: [], verification: { result: "cured" } } as const;
    const told = reportText({ ...report, findings: [{ ...report.findings[0]!, cure }] }, { readSource });
    expect(told).toContain("  fix: Some advice (tested: the failure is gone)");
  });
  it("shows a fix as the lines that change, by the numbers they will have", () => {
    const report = reportOf(samples);
    const toldWith = (diff: string) => {
      const cure = { kind: "keep", stores: [], verification: { result: "cured" }, diff } as const;
      const told = reportText({ ...report, findings: [{ ...report.findings[0]!, cure }] }, { readSource });
      return told.split("\n").filter((line) => /^ {2}fix|^ {4}\w/.test(line));
    };
    expect(toldWith("--- a/list.c\n+++ b/list.c\n@@ -3,1 +3,2 @@\n x = 3;\n+\tflush(&x);\n")).toEqual([
      "  fix: Some advice (tested: the failure is gone): list.c:4 + flush(&x);",
    ]);
    const braces = " x = 3;\n-  if (y)\n+  if (y) {\n     x = 4;\n+    flush(&x);\n+  }\n";
    const more = `+${"  more();\n+".repeat(4)}  last();\n`;
    expect(toldWith(`--- a/list.c\n+++ b/list.c\n@@ -9,3 +9,5 @@\n${braces}${more}`)).toEqual([
      "  fix: Some advice (tested: the failure is gone):",
      "    list.c:10 - if (y)",
      "    list.c:10 + if (y) {",
      "    list.c:12 +   flush(&x);",
      "    list.c:13 + }",
      "    list.c:14 + more();",
      "    list.c:15 + more();",
      "    and 3 lines more: blackout fix prints them all",
    ]);
  });
  it("says of a fix that was not tried within the bound who does try it", () => {
    const report = reportOf(samples);
    const cure = { kind: "keep", stores: [], verification: { result: "not-tried", bound: 5 } } as const;
    const told = reportText({ ...report, findings: [{ ...report.findings[0]!, cure }] }, { readSource });
    expect(told).toContain("its change of the source is not tried within this check's bound");
    expect(told).toContain("blackout fix");
  });
  it("has a row for each place that no crash shows, and a number for those in libraries", () => {
    const inLibrary = frame("pmemobj_tx_commit", undefined, { module: "/usr/lib/libpmemobj.so.1.0.0" });
    const more = finding("repeated-store", "warning", [inLibrary, frame("main", 8)]);
    const told = reportText(reportOf([...samples, more]), { readSource });
    expect(told.split("\n\n")[1]!.split("\n")).toEqual([
      "Also (details: --show all):",
      "  list.c:8  flush-clean (2 times)",
      "  0x401000  redundant-fence (2 times)",
      "  list.c:7  shared-fence (2 times)",
      "  inside libraries: 1 more",
      "SUMMARY: blackout: 1 error, 2 performance, 2 warnings",
    ]);
  });
  it("tells everything when asked", () => {
    const all = reportText(reportOf(samples), { readSource, all: true });
    for (const { rule } of samples) expect(all).toContain(`${rule.severity}[${rule.id}]: `);
    expect(all).not.toContain("Also (");
  });
  it("has every place with its calls when verbose", () => {
    const verbose = reportText(reportOf(samples), { readSource, verbose: true });
    expect(verbose).toContain(`  the store of 8 bytes at 0x1000 (value 0x2a) was never flushed, thread 1, event 3:
      1 | one
      2 | two
    > 3 |   x = 3;
        |     ^
      4 | four
      5 | five
    #0 0x00401003 in put /src/list.c:3:5 (inlined)
    #1 0x00401005 in ns::insert(int) /src/list.c:5:5
    #2 0x00401007 in main /src/list.c:7:5
  flushed here, thread 1, event 1:
    #0 0x00401009 in save /src/list.c:9:5`);
  });
  it("ends with the line that scripts read", () => {
    expect(text.split("\n").at(-1)).toBe("SUMMARY: blackout: 1 error, 2 performance, 1 warning");
    expect(summaryLine({ error: 2, performance: 3, warning: 1 })).toBe("blackout: 2 errors, 3 performance, 1 warning");
  });
  it("has no code frame beyond the end of a file", () => {
    expect(codeFrame(source, { line: 8 })).toBeUndefined();
    expect(codeFrame("\tx", { line: 1, column: 2 })).toBe("> 1 | \tx\n    | \t^");
  });
});

describe("the bar", () => {
  const counts = countFindings(samples.filter(({ rule }) => rule.severity !== "error"));
  it.each([
    ["error", false],
    ["performance", true],
    ["warning", true],
  ] as const)("%s", (bar, reached) => {
    expect(reachesBar(counts, bar)).toBe(reached);
  });
});

describe("JSON", () => {
  it("has its version, its summary and hexadecimal values", () => {
    const document = JSON.parse(reportJson(reportOf(samples, { suppressed: 1 })));
    expect(document).toMatchObject({ schema: "blackout-report", version: 2, run: { program: ["./list"], events: 10 } });
    expect(document.summary).toEqual({ errors: 1, performance: 2, warnings: 1, suppressed: 1 });
    expect(document.findings[0]).toMatchObject({ rule: "missing-flush", places: [{ value: "0x2a", event: 3 }, {}] });
  });
});

describe("SARIF", () => {
  const report = reportSarif(reportOf(samples));
  const run = JSON.parse(report).runs[0];
  it("holds against the published schema", () => {
    expect(sarifComplaints(report)).toEqual([]);
    expect(sarifComplaints(reportSarif(reportOf([])))).toEqual([]);
    const damaged = report.replace('"level": "error"', '"level": "loud"').replace('"startLine": 3', '"startLine": 0');
    expect(sarifComplaints(damaged).length).toBeGreaterThanOrEqual(2);
  });
  it("orders a code flow by what happened", () => {
    const [result] = run.results;
    expect(result.ruleId).toBe(run.tool.driver.rules[result.ruleIndex].id);
    const { locations } = result.codeFlows[0].threadFlows[0];
    expect(locations.map((step: { location: { message: { text: string } } }) => step.location.message.text)).toEqual([
      "event 1, thread 1: flushed here",
      expect.stringContaining("event 3, thread 1: the store"),
    ]);
    expect(result.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: "file:///src/list.c" },
      region: { startLine: 3, startColumn: 5 },
    });
  });
  it("has relative paths and GitHub's hash of the line below the directory of the run", () => {
    const report = reportOf(samples);
    const here = JSON.parse(reportSarif({ ...report, run: { ...report.run, directory: "/src" } }, readSource)).runs[0];
    const [result] = here.results;
    expect(result.locations[0].physicalLocation.artifactLocation).toEqual({ uri: "list.c", uriBaseId: "%SRCROOT%" });
    expect(here.originalUriBaseIds).toEqual({ "%SRCROOT%": { uri: "file:///src/" } });
    expect(result.partialFingerprints.primaryLocationLineHash).toBe(lineHashes(source).get(3));
    expect(sarifComplaints(JSON.stringify({ version: "2.1.0", runs: [here] }))).toEqual([]);
  });
  it("hashes lines as GitHub does", () => {
    // From github/codeql-action (fingerprints.test.ts).
    expect([...lineHashes("").values()]).toEqual(["c129715d7a2bc9a3:1"]);
    const hashes = ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"];
    for (const text of [" a\nb\n  \t\tc\n d", " a\r\nb\r\n  \t\tc\r\n d", " a\rb\r  \t\tc\r d"])
      expect([...lineHashes(text).values()]).toEqual(hashes);
  });
  it("has the cure's diff as a fix", () => {
    const diff = "--- a/list.c\n+++ b/list.c\n@@ -2,2 +2,3 @@\n two\n+flush();\n   x = 3;\n@@ -5 +6 @@\n-five\n+FIVE\n";
    expect(changesOf(diff)).toEqual([
      {
        path: "list.c",
        replacements: [
          {
            deletedRegion: { startLine: 3, startColumn: 1, endLine: 3, endColumn: 1 },
            insertedContent: { text: "flush();\n" },
          },
          {
            deletedRegion: { startLine: 5, startColumn: 1, endLine: 6, endColumn: 1 },
            insertedContent: { text: "FIVE\n" },
          },
        ],
      },
    ]);
    const report = reportOf(samples);
    const cured = { ...report.findings[0]!, cure: { kind: "keep", stores: [], diff } as const };
    const text = reportSarif({ ...report, findings: [cured] });
    expect(JSON.parse(text).runs[0].results[0].fixes).toHaveLength(1);
    expect(sarifComplaints(text)).toEqual([]);
  });
  it("names a place without source by its address", () => {
    const [place] = run.results[2].locations;
    expect(place.physicalLocation).toEqual({ address: { absoluteAddress: 0x40_1000 } });
  });
});

describe("suppressions", () => {
  const matched = (text: string) =>
    siftFindings(samples, parseSuppressions("a.supp", text)).suppressed.map(({ rule }) => rule.id);
  it.each([
    ["{\n n\n blackout:missing-flush\n fun:put\n}", ["missing-flush"]],
    ["{\n n\n blackout:*\n ...\n fun:main\n}", ["shared-fence", "missing-flush", "flush-clean"]],
    ["{\n n\n blackout:*\n fun:main\n}", ["shared-fence"]],
    ["# why\n{\n n\n memcheck,blackout:flush-*\n obj:*/libpmem.so*\n ...\n}", ["flush-clean"]],
    ["{\n n\n blackout:*\n fun:p?t\n fun:ns::insert(*)\n}", ["missing-flush"]],
    ["{\n n\n blackout:*\n src:list.c:3\n}", ["missing-flush"]],
    ["{\n n\n Memcheck:Leak\n ...\n}", []],
  ])("%j", (text, rules) => expect(matched(text)).toEqual(rules));

  it("are made for exactly one finding, and say so when there is none", () => {
    const keyOf = findingKeys(samples, outsideTheSystem, readSource);
    for (const sample of samples) {
      const made = parseSuppressions("made", `\n${suppressionText(sample, keyOf(sample), "why {")}\n`);
      expect(siftFindings(samples, made, keyOf)).toMatchObject({ suppressed: [sample], unmatched: [] });
      const others = samples.filter((each) => each !== sample);
      expect(siftFindings(others, made, keyOf)).toMatchObject({
        suppressed: [],
        unmatched: [{ file: "made", line: 2 }],
      });
    }
  });

  it.each([
    ["{\n n\n blackout:x\n fun:a\n", /a\.supp:1 begins a suppression that is never closed/],
    ["n\n", /a\.supp:1 is outside any suppression/],
    ["}\n", /closes a suppression that was not begun/],
    ["{\n{\n", /inside the one of line 1/],
    ["{\n n\n nonsense\n fun:a\n}", /a\.supp:3 is not a kind/],
    ["{\n n\n blackout:x\n main\n}", /a\.supp:4 is not a frame/],
    ["{\n n\n blackout:x\n}", /without frames/],
    ["{\n}", /without a name and a kind/],
  ])("say what is wrong with %j", (text, message) =>
    expect(sentence(() => parseSuppressions("a.supp", text))).toMatch(message),
  );
});

describe("blackout.config.json", () => {
  const shapes = { pm: "values", "fail-on": "value", stats: "flag" } as const;
  const read = (text: string) => readConfig("c.json", text, "trace", shapes);
  it("sets options by their long names", () => {
    expect(read('{ "trace": { "pm": "/a", "fail-on": "warning", "stats": true } }')).toEqual({
      pm: ["/a"],
      "fail-on": "warning",
      stats: true,
    });
    expect(read('{ "check": { "x": 1 } }')).toEqual({});
    expect(read('{ "trace": { "no-stats": true } }')).toEqual({ stats: false });
  });
  it("takes commands as texts, or by their words", () => {
    const words = { recover: "values", setup: "value" } as const;
    const read = (value: unknown) => readConfig("c.json", JSON.stringify({ check: value }), "check", words);
    expect(read({ recover: "./a check", setup: "./a make" })).toEqual({ recover: ["./a check"], setup: "./a make" });
    expect(read({ recover: ["./a check", "./b"] })).toEqual({ recover: ["./a check", "./b"] });
    const byWords = read({ recover: [["./a b", "it's"]], setup: ["./a", "make it"] });
    expect(byWords["setup"]).toBe("'./a' 'make it'");
    expect((byWords["recover"] as readonly string[]).map(splitCommand)).toEqual([["./a b", "it's"]]);
  });
  it.each([
    ["{", /c\.json is not JSON/],
    ["[]", /must hold a JSON object/],
    ['{ "trase": {} }', /section "trase", which nothing reads\. Did you mean "trace"\?/],
    ['{ "other": {} }', /section "other", which nothing reads; there are check, explore/],
    ['{ "trace": { "failon": 1 } }', /sets "failon", which is no option of blackout trace\. Did you mean "fail-on"\?/],
    ['{ "trace": 1 }', /section "trace" that is not a JSON object/],
    ['{ "trace": { "nope": 1 } }', /sets "nope", which is no option of blackout trace; there are pm, fail-on, stats/],
    ['{ "trace": { "stats": "yes" } }', /it takes true or false/],
  ])("%s", (text, message) => expect(sentence(() => read(text))).toMatch(message));
});

describe("fingerprints", () => {
  it("do not depend on where things are", () => {
    const here = [frame("put", 3), frame(undefined, undefined, { module: "/usr/lib/a.so", offset: 1 })];
    const there = [
      frame("put", 3, { address: 9, file: "/elsewhere/list.c" }),
      frame(undefined, undefined, { module: "/opt/a.so", offset: 2 }),
    ];
    expect(fingerprintOf("r", here)).toBe(fingerprintOf("r", there));
    expect(fingerprintOf("r", here)).not.toBe(fingerprintOf("q", here));
    expect(fingerprintOf("r", here)).not.toBe(fingerprintOf("r", [frame("put", 4)]));
  });
  it("make one finding of one place", () => {
    const { rule, says, cause } = finding("r", "error", []);
    const draft = { rule, says, cause, evidence: [], count: 2 };
    const drafts = [draft, { ...draft, cause: { ...cause, site: 2 } }, { ...draft, cause: { ...cause, site: 3 } }];
    const findings = resolveDrafts(drafts, (site) => [frame("f", site === 3 ? 9 : 1)]);
    expect(findings.map(({ count }) => count)).toEqual([4, 2]);
  });
});
