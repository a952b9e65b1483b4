/** What the trace of a whole program tells: how files are made safe, and that a run repeats. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { traceCommand } from "../../src/cli/trace.ts";
import { compileGuest } from "../support/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-trace-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);

interface Report {
  readonly findings: readonly { readonly rule: string; readonly message: string }[];
}

async function report(...args: readonly string[]): Promise<Report> {
  await traceCommand(["--format", "json", "--report", file("report.json"), ...args]);
  return JSON.parse(readFileSync(file("report.json"), "utf8"));
}

describe("an ordinary file", () => {
  const program = compileGuest("trace/msync.c", ["-O1", "-g"]);
  it.each([
    ["flush", ["missing-flush"]],
    ["async", ["missing-flush"]],
    ["sync", []],
    ["fsync", []],
  ])("%s: %s", async (how, rules) => {
    const { findings } = await report("--pm-mode", "msync", "--", program, how);
    expect(findings.map(({ rule }) => rule)).toEqual(rules);
  });
});
