/** Keys of findings and baselines: what stays the same while lines move, and what does not. */
import { describe, expect, it } from "vitest";
import { type Finding, outsideTheSystem } from "../../src/crash/finding/index.ts";
import { againstBaseline, baselineText, findingKeys, readBaseline } from "../../src/report/render/index.ts";
import { finding, frame, reportOf } from "./findings.ts";

/** A file of these lines; a finding at a line of it, in a function. */
const sourceOf = (lines: readonly string[]) => (path: string) =>
  path === "/src/list.c" ? lines.join("\n") : undefined;
const missing = (line: number, name = "put") =>
  finding("missing-flush", "error", [frame(name, line), frame("main", 1)], line);
const idle = (caller: number, at = 1) =>
  finding("flush-clean", "performance", [frame("persist", at), frame("main", caller)], caller);
const keysOf = (findings: readonly Finding[], lines: readonly string[]) =>
  findings.map(findingKeys(findings, outsideTheSystem, sourceOf(lines)));

const before = ["flush(p);", "  a = 1;", "  b = 2;", "  a = 1;", "persist(x);", "persist(y);"];
const moved = ["// new", "", ...before.map((line) => `\t${line.replace(" = ", "=")}`)];

describe("a key", () => {
  it("stays while lines move and are indented anew", () => {
    const [one, two] = [
      [missing(2), missing(3), idle(5)],
      [missing(4), missing(5), idle(7, 3)],
    ];
    expect(keysOf(two, moved)).toEqual(keysOf(one, before));
  });
  it("is no other finding's: of another line, function, caller, or the second of two lines that read the same", () => {
    const all = [missing(2), missing(3), missing(4), missing(2, "other"), idle(5), idle(6)];
    expect(new Set(keysOf(all, before)).size).toBe(all.length);
  });
  it("is there without source, too", () => {
    expect(keysOf([missing(2), missing(3)], []).length).toBe(2);
    expect(new Set(keysOf([missing(2), missing(3)], [])).size).toBe(2);
  });
});

const report = (findings: readonly Finding[], lines: readonly string[], rules = findings) => {
  const readSource = sourceOf(lines);
  return reportOf(findings, {
    readSource,
    keyOf: findingKeys(findings, outsideTheSystem, readSource),
    rules: rules.map(({ rule }) => rule),
  });
};
const savedOf = (findings: readonly Finding[]) => readBaseline("b.json", baselineText(report(findings, before)));

describe("a baseline", () => {
  const saved = savedOf([missing(2), missing(3), idle(5)]);
  it("knows what moved, counts what is new, and names what is gone", () => {
    const now = againstBaseline(report([missing(5), missing(5, "other"), idle(7, 3)], moved), saved, false);
    expect(now.findings.map(({ known = false }) => known)).toEqual([true, false, true]);
    expect(now.summary).toMatchObject({ errors: 1, performance: 0 });
    expect(now.baseline).toEqual({
      known: 2,
      gone: [{ rule: "missing-flush", headline: "list.c:2: a title in put", fingerprint: expect.any(String) }],
      complete: true,
    });
  });
  it("does not take another mistake in the same place for the one that was there", () => {
    const other = before.with(2, "  c = 3;");
    const now = againstBaseline(report([missing(2), missing(3)], other), saved, false);
    expect(now.findings.map(({ known = false }) => known)).toEqual([true, false]);
  });
  it("says nothing is gone that was not looked for, and not for sure after a run that was cut", () => {
    const partly = againstBaseline(report([missing(2)], before, [missing(2)]), saved, true);
    expect(partly.baseline).toMatchObject({ complete: false, gone: [{ headline: "list.c:3: a title in put" }] });
  });
  it("is a report as well, by fingerprints where that has no keys", () => {
    const whole = report([missing(2), missing(3)], before);
    const text = (keyed: boolean) =>
      JSON.stringify({
        ...whole,
        findings: whole.findings.map(({ key, ...rest }) => (keyed ? { key, ...rest } : rest)),
      });
    for (const keyed of [true, false]) {
      const now = againstBaseline(report([missing(2)], before), readBaseline("r.json", text(keyed)), false);
      expect(now.baseline).toMatchObject({ known: 1, gone: [{ rule: "missing-flush" }] });
    }
  });
  it("that is none is refused", () => {
    for (const text of ["{}", "nonsense", '{"schema":"blackout-baseline","version":2,"findings":[]}'])
      expect(() => readBaseline("b.json", text)).toThrow("b.json is no baseline");
  });
});
