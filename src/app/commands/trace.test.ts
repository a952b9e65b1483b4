/** `blackout trace` on recorded traces, through the command itself. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runBlackout } from "../../../test/end-to-end/command.ts";
import { sarifComplaints } from "../../../test/report/sarif-schema.ts";
import { parseXml } from "../../../test/report/xml.ts";
import { pm, TraceBuilder } from "../../../test/trace/builder.ts";

import { globPattern } from "../../base/index.ts";
import { ruleCatalogue } from "../../engines/index.ts";
import { createBytes } from "../../host/index.ts";
import { framesOf, type Report } from "../../report/document/index.ts";

import { BtraceWriter } from "../../trace/events/index.ts";
import { main } from "./main.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-trace-"));
const file = (name: string) => join(folder, name);
const report = file("report");

beforeAll(() => {
  const target = createBytes(file("a.btrace"));
  const trace = new TraceBuilder()
    .map()
    .store(pm, 1n)
    .persist(pm)
    .flush(pm, { at: "idle" })
    .fence()
    .store(pm, 2n, { at: "lost" });
  trace.play((tables) => new BtraceWriter(tables, target, () => ({ command: ["./a"] })));
  target.close();
  writeFileSync(
    file("log"),
    "START|STORE;0x7f0000000040;0x2a;0x8;0x1: insert (list.c:31)|FLUSH;0x7f0000000040;0x8|STOP\n",
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const ruleText = (id: string, state: string) =>
  `export const rule = { id: "${id}", severity: "error", title: "t", sentence: "s", advice: "a", start: () => ${state} };`;

const trace = (...args: readonly string[]) => main(["trace", ...args]);
const reportOf = async (...args: readonly string[]) => {
  rmSync(report, { force: true });
  const code = await trace("--report", report, ...args);
  return { code, text: readFileSync(report, "utf8") };
};

describe("blackout trace", () => {
  it("judges a recorded trace", async () => {
    const { code, text } = await reportOf("--in", file("a.btrace"));
    expect(code).toBe(1);
    expect(text).toMatch(/error\[missing-flush\]/);
    expect(text).toMatch(/SUMMARY: blackout: 1 error, 1 performance, 0 warnings\n$/);
  });
  it("judges a log of pmemcheck, at the log's own addresses", async () => {
    const { code, text } = await reportOf("--in-pmemcheck", file("log"), "--format", "json");
    expect(code).toBe(1);
    const report = JSON.parse(text) as Report;
    const [finding] = report.findings;
    expect(finding).toMatchObject({ rule: "missing-fence", places: [{ address: "0x7f0000000040" }, {}] });
    expect(framesOf(report, finding!.places[1]!.place)).toMatchObject([{ function: "insert", line: 31 }]);
  });
  it("records again what it reads", async () => {
    await reportOf("--in-pmemcheck", file("log"), "--out", file("b.btrace"));
    expect((await reportOf("--in", file("b.btrace"))).text).toMatch(/missing-fence/);
  });
  it("writes SARIF", async () => {
    const { text } = await reportOf("--in", file("a.btrace"), "--format", "sarif");
    expect(JSON.parse(text).runs[0].tool.driver.rules.length).toBe(ruleCatalogue.length);
    expect(sarifComplaints(text)).toEqual([]);
  });
  it("writes JUnit's XML", async () => {
    const { text } = await reportOf("--in", file("a.btrace"), "--format", "junit");
    expect(parseXml(text).attributes).toMatchObject({ tests: String(ruleCatalogue.length), failures: "1" });
  });
  it("leaves out what it is told to, and its exit code follows", async () => {
    const args = ["--in", file("a.btrace"), "--disable", "missing-flush"];
    expect((await reportOf(...args)).code).toBe(0);
    expect((await reportOf(...args, "--fail-on", "performance")).code).toBe(1);
    writeFileSync(file("all.supp"), "{\n all\n blackout:*\n ...\n}\n");
    const { code, text } = await reportOf("--in", file("a.btrace"), "--suppressions", file("all.supp"));
    expect([code, text.trim()]).toEqual([0, "SUMMARY: blackout: 0 errors, 0 performance, 0 warnings (2 suppressed)"]);
  });
  it("takes options from a file; the command line wins", async () => {
    writeFileSync(file("c.json"), '{ "trace": { "disable": ["missing-flush"], "fail-on": "warning" } }');
    expect((await reportOf("--in", file("a.btrace"), "--config", file("c.json"))).code).toBe(1);
    expect((await reportOf("--in", file("a.btrace"), "--config", file("c.json"), "--fail-on", "error")).code).toBe(0);
  });
  it("finds the file in the working directory by its name", () => {
    writeFileSync(file("blackout.config.json"), '{ "trace": { "disable": ["missing-flush"] } }');
    const { code, stderr } = runBlackout(["trace", "--in", "a.btrace"], { cwd: folder });
    rmSync(file("blackout.config.json"));
    expect([code, stderr.split("\n").at(-2)]).toEqual([0, "SUMMARY: blackout: 0 errors, 1 performance, 0 warnings"]);
  });
  it("runs rules of the user's own, and tells of one that throws after printing the rest", async () => {
    writeFileSync(file("throws.mjs"), ruleText("x", '({ event() { throw new Error("oops"); } })'));
    const { code, text } = await reportOf("--in", file("a.btrace"), "--rule", file("throws.mjs"));
    expect([code, /missing-flush/.test(text)]).toEqual([2, true]);
  });
  it("bundles rules written in TypeScript", async () => {
    const rule = resolve(import.meta.dirname, "../../../examples/rules/redundant-undo-log.ts");
    expect((await reportOf("--in", file("a.btrace"), "--rule", rule)).code).toBe(1);
  });

  it("judges a damaged trace up to the damage", async () => {
    const bytes = readFileSync(file("a.btrace"));
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(file("damaged.btrace"), bytes);
    const { code, text } = await reportOf("--in", file("damaged.btrace"));
    expect([code, /flush-clean/.test(text)]).toEqual([2, true]);
    writeFileSync(file("damaged.log"), "START|FENCE|FLUSH;0x40;0x8|FENCE|FENCE|STORE;0x1|STOP\n");
    expect(await reportOf("--in-pmemcheck", file("damaged.log"))).toMatchObject({ code: 2 });
  });
  it("complains of its command line as of everything else", () => {
    const { code, stderr } = runBlackout(["trace", "--no-such-option"]);
    expect(code).toBe(2);
    expect(stderr).toBe("blackout: unknown option '--no-such-option'\n");
  });

  it("takes bad input for what it is", async () => {
    writeFileSync(file("bad.supp"), "{\n");
    writeFileSync(file("half.btrace"), readFileSync(file("a.btrace")).subarray(0, 200));
    writeFileSync(file("half.log"), "START|STORE;0x1");
    writeFileSync(file("no-rule.mjs"), "export const x = 1;");
    writeFileSync(file("taken.mjs"), ruleText("flush-clean", "({ event() {} })"));
    writeFileSync(file("no-state.mjs"), ruleText("x", "5"));
    writeFileSync(file("syntax.ts"), "export const rule: = 1;");
    for (const args of [
      [],
      ["--in", file("missing")],
      ["--in", folder],
      ["--in", file("a.btrace"), "--report", file("missing/report")],
      ["--in", file("a.btrace"), "--rule", file("taken.mjs")],
      ["--in", file("a.btrace"), "--rule", file("no-state.mjs")],
      ["--in", file("a.btrace"), "--rule", file("syntax.ts")],
      ["--no-such-option"],
      ["--in", file("log")],
      ["--in", file("half.btrace")],
      ["--in-pmemcheck", file("half.log")],
      ["--in", file("a.btrace"), "--in-pmemcheck", file("log")],
      ["--in", file("a.btrace"), "--suppressions", file("bad.supp")],
      ["--in", file("a.btrace"), "--rule", file("no-rule.mjs")],
      ["--in", file("a.btrace"), "--rule", file("missing.mjs")],
      ["--in", file("a.btrace"), "--platform", "vax"],
      ["--in", file("a.btrace"), "--disable", "no-such-rule"],
      ["--in", file("a.btrace"), "--config", file("bad.supp")],
    ])
      expect(await trace(...args), args.join(" ")).toBe(2);
  });
});

it.each([
  ["/mnt/*", "/mnt/pool", true],
  ["/mnt/*", "/mnt/a/pool", false],
  ["/mnt/**", "/mnt/a/pool", true],
  ["/m?t/[pq]ool.x", "/mnt/qool.x", true],
  ["/mnt/a.b", "/mnt/axb", false],
])("glob %s over %s: %s", (glob, path, matches) => expect(globPattern(glob).test(path)).toBe(matches));
