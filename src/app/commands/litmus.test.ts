/** The litmus command: what it prints, and its exit codes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import {
  defaultOptions,
  exitCodeOf,
  parseTests,
  reportTest,
  runTest,
  type TestResult,
} from "../../model/litmus/index.ts";
import { litmusCommand } from "./litmus.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-litmus-"));
afterAll(() => rmSync(folder, { recursive: true }));

let output = "";
let errors = "";
beforeEach(() => {
  output = "";
  errors = "";
});
vi.mock("../../host/index.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  stdoutLine: (text: string) => {
    output += `${text}\n`;
  },
  stderrLine: (text: string) => {
    errors += `${text}\n`;
  },
}));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const commitText = (verdict: string) =>
  `{"tests":[{"name":"commit","locs":{"d":0,"f":1},"threads":[["W d 1","FL d","W f 1"]],"checks":[{"crash":{"f":1,"d":0},"verdict":"${verdict}"}]}]}`;

test("all as written: 0, with sets, verdict and reason", async () => {
  expect(await litmusCommand([file("good.json", commitText("FORBIDDEN"))])).toBe(0);
  expect(output).toContain("d=0 f=0 | d=1 f=0 | d=1 f=1");
  expect(output).toContain("FORBIDDEN f=1 d=0  as expected");
  expect(output).toContain("T0: W d 1 stays before T0: FL d");
  expect(output).toContain("1 tests, 1 checks, 0 not as written, the models disagree on 0");
});

test("a verdict that does not hold: 1", async () => {
  expect(await litmusCommand([file("wrong.json", commitText("ALLOWED")), "--no-explain"])).toBe(1);
  expect(output).toContain("BUT EXPECTED ALLOWED");
});

test("--json prints the sets and nothing else", async () => {
  expect(await litmusCommand([file("good.json", commitText("FORBIDDEN")), "--json", "--model", "axiomatic"])).toBe(0);
  expect(JSON.parse(output)).toEqual({
    commit: {
      any: ["d=0 f=0", "d=1 f=0", "d=1 f=1"],
      end: ["d=1 f=0", "d=1 f=1"],
      eadr: ["d=0 f=0", "d=1 f=0", "d=1 f=1"],
    },
  });
});

test("a herd test only asks, so either answer is 0; a claim that fails is 1", async () => {
  const herd = (question: string) =>
    `X86_64 T\n{ }\n P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\n${question} (0:rax=0 /\\ 1:rax=0)\n`;
  expect(await litmusCommand([file("a.litmus", herd("exists"))])).toBe(0);
  expect(output).toContain("ALLOWED   exists (0:rax=0 /\\ 1:rax=0)");
  expect(output).toContain("final states: 4 states");
  expect(await litmusCommand([file("b.litmus", herd("~exists"))])).toBe(1);
});

test("platforms and the reading of a failed compare-and-swap", async () => {
  const text =
    '{"name":"t","locs":{"x":0,"y":1,"u":2},"threads":[["W x 1","FO x","CAS r u 5 6","W y 1"]],"checks":[{"crash":{"y":1,"x":0},"verdict":"FORBIDDEN","choModel":"ALLOWED","eadr":"FORBIDDEN"}]}';
  const path = file("cas.json", text);
  expect(await litmusCommand([path])).toBe(0);
  expect(await litmusCommand([path, "--failed-cas", "load"])).toBe(0);
  expect(output).toContain("ALLOWED   y=1 x=0  as expected");
  expect(await litmusCommand([path, "--platform", "eadr"])).toBe(0);
  expect(await litmusCommand([path, "--platform", "strict"])).toBe(0);
});

test.each([
  ["no file", [], "No litmus file was given"],
  ["an unknown flag", ["x.json", "--frob"], "--frob"],
  ["an unknown model", ["x.json", "--model", "both2"], "operational, axiomatic, both"],
  ["a file that is not there", ["nowhere.json"], "nowhere.json cannot be read"],
  ["a bad limit", ["x.json", "--limit", "many"], "--limit"],
])("%s: 2", async (_title, args, message) => {
  expect(await litmusCommand([...args])).toBe(2);
  expect(errors).toContain(message);
});

test("a syntax error: 2, with line and caret", async () => {
  const path = file("bad.json", '{"name":"t","locs":{"x":0},\n "threads":[["W y 1"]]}');
  expect(await litmusCommand([path])).toBe(2);
  expect(errors).toContain(`${path}:2:`);
  expect(errors).toContain("unknown location y");
  expect(errors.trimEnd().split("\n").at(-1)?.trim()).toBe("^");
});

test("a test that is not there: 2", async () => {
  expect(await litmusCommand([file("good.json", commitText("FORBIDDEN")), "--test", "other"])).toBe(2);
  expect(errors).toContain("no test named other");
});

test("a limit: 3", async () => {
  const text = '{"name":"t","locs":{"x":0,"y":1},"threads":[["W x 1","R r y","W y 1"],["W y 2","R r x","W x 2"]]}';
  expect(await litmusCommand([file("large.json", text), "--limit", "5"])).toBe(3);
  expect(errors).toContain("the limit of 5 states was reached without a verdict");
});

test("too many instructions: 3", async () => {
  const code = JSON.stringify(Array.from({ length: 61 }, () => "W x 1"));
  expect(await litmusCommand([file("long.json", `{"name":"t","locs":{"x":0},"threads":[${code}]}`)])).toBe(3);
});

test("models that disagree: 70, with the program", () => {
  const [litmus] = parseTests({ file: "t", text: commitText("FORBIDDEN") });
  if (litmus === undefined) throw new Error("there is a test");
  const result: TestResult = {
    ...runTest(litmus, ["operational"], defaultOptions),
    disagreement: {
      engines: ["operational", "axiomatic"],
      phase: 0,
      what: "any",
      onlyFirst: ["d=0 f=1"],
      onlySecond: [],
    },
  };
  expect(exitCodeOf([result], 0)).toBe(70);
  const text = reportTest(result, { explain: false, relations: [], run: defaultOptions }).join("\n");
  expect(text).toContain("T0: W d 1; FL d; W f 1");
  expect(text).toContain("only operational: d=0 f=1");
});

test("drawings go to a file or a folder", async () => {
  const path = file("good.json", commitText("FORBIDDEN"));
  const svg = join(folder, "one.svg");
  expect(await litmusCommand([path, "--svg", svg, "--dot", join(folder, "drawings"), "--relations", "dtpo,fb"])).toBe(
    0,
  );
  expect(readFileSync(svg, "utf8")).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  expect(readdirSync(join(folder, "drawings"))).toEqual(["commit-1.dot"]);
  expect(output).toContain("T0: FL d → T0: W d 1");
});

test("--help: 0", async () => {
  expect(await litmusCommand(["--help"])).toBe(0);
  expect(output).toContain("usage: blackout litmus FILE...");
});
