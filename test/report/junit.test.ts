/** JUnit's XML, as a parser sees it. */
import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/crash/finding/index.ts";
import { type JunitOptions, reportJunit } from "../../src/report/render/index.ts";
import { finding, frame, reportOf, samples } from "./findings.ts";
import { parseXml } from "./xml.ts";

const quiet = { ...samples[0]!.rule, id: "loose-store", title: "nothing here" };
const options = { failOn: "error" as const, readSource: () => undefined };
const rules = [...samples.map(({ rule }) => rule), quiet];
const run = { command: "trace", engines: ["rules"], program: ["./list", "1", "<2>"], events: 10 };
const junit = (findings: readonly Finding[], more: Partial<JunitOptions> = {}) =>
  reportJunit(reportOf(findings, { rules, run }), { ...options, ...more });
const suiteOf = (text: string) => {
  const suites = parseXml(text);
  expect(suites.name).toBe("testsuites");
  expect(suites.children.length).toBe(1);
  return suites.children[0]!;
};
const outcomes = (text: string) =>
  suiteOf(text).children.map(({ attributes, children }) => [attributes.classname, children[0]?.name ?? "passed"]);

describe("JUnit", () => {
  it("has a test case for each finding, worst first, and for each rule that found nothing", () => {
    expect(outcomes(junit(samples))).toEqual([
      ["blackout.missing-flush", "failure"],
      ["blackout.flush-clean", "system-out"],
      ["blackout.redundant-fence", "system-out"],
      ["blackout.shared-fence", "system-out"],
      ["blackout.loose-store", "passed"],
    ]);
  });
  it("fails what the bar fails, and counts it", () => {
    const text = junit(samples, { failOn: "performance" });
    expect(outcomes(text).filter(([, outcome]) => outcome === "failure").length).toBe(3);
    expect(suiteOf(text).attributes).toMatchObject({ name: "./list 1 <2>", tests: "5", failures: "3", errors: "0" });
  });
  it("says what, where and how to fix it", () => {
    const [first] = suiteOf(junit(samples)).children;
    expect(first!.attributes).toMatchObject({ file: "/src/list.c", line: "3" });
    expect(first!.attributes.name).toContain("a title in put /src/list.c:3:5");
    const [failure] = first!.children;
    expect(failure!.attributes).toEqual({ type: "missing-flush", message: samples[1]!.says });
    expect(failure!.text).toMatch(/error\[missing-flush\]: list\.c:3: .*ns::insert at .*fix: Some advice\./s);
  });
  it("keeps what XML would take for markup, and replaces what it cannot hold", () => {
    const name = 'std::map<int, "&">';
    const says = "it said \"a\tb\nc\u0000\u001b[1m\ud800\ufffe]]>\" & '<failure>'";
    const odd = { ...finding("missing-flush", "error", [frame(name, 3)]), says };
    const [first] = suiteOf(junit([odd])).children;
    expect(first!.attributes.name).toContain(name);
    const shown = "it said \"a\tb\nc\ufffd\ufffd[1m\ufffd\ufffd]]>\" & '<failure>'";
    expect(first!.children[0]!.attributes.message).toBe(shown);
    expect(first!.children[0]!.text).toContain("a\\tb\\nc\\x00\\x1b[1m\\ud800\ufffd]]>\" & '<failure>'");
  });
  it("of no findings is all passed", () => {
    expect(suiteOf(junit([])).attributes).toMatchObject({ tests: "5", failures: "0" });
  });
});
