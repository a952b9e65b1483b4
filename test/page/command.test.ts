/** `--html` and `blackout page`: the page of a real report. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type * as document from "../../src/report/document/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { inTemporaryDirectory, runBlackout } from "../end-to-end/command.ts";
import { reportComplaints } from "../report/report-schema.ts";
import { guestSource } from "../support/programs.ts";

/** The report in a page. */
function embeddedIn(file: string): document.Report {
  const [, json] = /<script type="application\/json" id="report">(.*?)<\/script>/s.exec(readFileSync(file, "utf8"))!;
  return JSON.parse(json!);
}

it("the page of a check holds its report, and the page of that report is the same", () =>
  inTemporaryDirectory((cwd) => {
    const reports = ["--html", "one.html", "--format", "json", "--report", "report.json", "--stats", "--no-journal"];
    const source = ["--source", dirname(guestSource("check/array.c"))];
    const { code } = runBlackout(["check", ...reports, ...source, "--", checkGuest("array", "MISSING_FLUSH"), pool], {
      cwd,
    });
    expect(code).toBe(1);
    const report = embeddedIn(join(cwd, "one.html"));
    expect(reportComplaints(report)).toEqual([]);
    expect(report.findings.map(({ rule }) => rule)).toContain("recovery-fails");
    expect(report.effort?.time?.length).toBeGreaterThan(0);
    expect(report.sources?.map(({ file }) => file).some((file) => file.endsWith("array.c"))).toBe(true);
    expect(report).toEqual(JSON.parse(readFileSync(join(cwd, "report.json"), "utf8")));
    expect(runBlackout(["page", "report.json"], { cwd })).toMatchObject({ code: 0, stdout: "blackout: report.html\n" });
    expect(runBlackout(["page", "report.json", "-o", "two.html"], { cwd }).code).toBe(0);
    const pages = ["one.html", "report.html", "two.html"].map((name) => readFileSync(join(cwd, name), "utf8"));
    expect(new Set(pages).size).toBe(1);
  }));

it("what cannot be shown is told in one sentence", () =>
  inTemporaryDirectory((cwd) => {
    writeFileSync(join(cwd, "odd.json"), '{"schema":"blackout-report"}');
    const told = (...args: readonly string[]) => {
      const { code, stderr } = runBlackout(["page", ...args], { cwd });
      return `${code} ${stderr.trim()}`;
    };
    expect(told("odd.json")).toBe("2 blackout: odd.json is not a report of blackout: report.version is missing.");
    expect(told("none.json")).toBe("2 blackout: none.json cannot be read (ENOENT).");
    expect(told()).toContain("2 blackout: missing required argument 'report'");
  }));
