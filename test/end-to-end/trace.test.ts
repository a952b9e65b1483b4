/** What the trace of a whole program tells: how files are made safe, and that a run repeats. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { traceCommand } from "../../src/app/commands/trace.ts";
import { shownFindings } from "../support/findings.ts";
import { compileGuest, guestSource } from "../support/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-trace-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);

async function report(...args: readonly string[]) {
  await traceCommand(["--format", "json", "--report", file("report.json"), ...args]);
  const text = readFileSync(file("report.json"), "utf8");
  return { findings: shownFindings(text), suppressed: JSON.parse(text).summary.suppressed as number };
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

describe("calling contexts", () => {
  const source = guestSource("trace/contexts.cpp");
  const program = compileGuest("trace/contexts.cpp", ["-O2", "-g", "-lpthread"]);

  /** A place and the functions of the guest's own that led there, innermost first. */
  const shown = (line: number | undefined, functions: readonly (string | undefined)[]) =>
    `${line}: ${functions.map((name) => name?.replace(/\(.*/, "")).join(", ")}`;

  it("are right in handlers, after jumps and exceptions, in tail calls and in every thread", async () => {
    const expected = readFileSync(source, "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const stack = /\/\/ stack: (.*)$/.exec(line)?.[1];
        return stack === undefined ? [] : [shown(index + 1, stack.split(", "))];
      });
    const { findings } = await report("--", program);
    const found = findings.map(({ cause }) => {
      const own = cause.frames.filter((frame) => frame.file === source);
      return shown(
        own[0]?.line,
        own.map((frame) => frame.function),
      );
    });
    expect(found.toSorted((a, b) => a.localeCompare(b))).toEqual(expected.toSorted((a, b) => a.localeCompare(b)));
  });

  it("and the whole trace repeat with the seed, compiled or interpreted", async () => {
    const recorded = async (...options: readonly string[]) => {
      await report("--out", file("trace.btrace"), ...options, "--", program);
      return readFileSync(file("trace.btrace"));
    };
    const first = await recorded("--seed", "1");
    expect((await recorded("--seed", "1")).equals(first)).toBe(true);
    expect((await recorded("--seed", "1", "--no-jit")).equals(first)).toBe(true);
  });
});

describe("libpmemobj without annotations", () => {
  const shipped = resolve(import.meta.dirname, "../../suppressions/libpmemobj.supp");
  it.each([
    ["threads", []],
    ["transactions", ["careless_return"]],
  ])("%s has with the shipped suppressions the errors it is meant to have: %s", async (name, functions) => {
    const program = compileGuest(`pmemobj/${name}.c`, ["-O1", "-g", "-lpmemobj", "-lpthread"]);
    const { findings, suppressed } = await report("--annotations", "off", "--suppressions", shipped, "--", program);
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors.map(({ cause }) => cause.frames[0]?.function)).toEqual(functions);
    expect(suppressed).toBeGreaterThan(0);
  });
});
