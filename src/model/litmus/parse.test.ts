/** Reading tests, and the messages for what cannot be read: line, column, caret, and the name of the culprit. */
import { describe, expect, test } from "vitest";
import { InputError } from "../../base/index.ts";
import { parseTests } from "./parse.ts";

function failureOf(text: string): InputError {
  try {
    parseTests({ file: "t.litmus", text });
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error("this should not have been accepted");
}

/** The message's caret stands under the marked word. */
function expectCaretUnder(message: string, word: string): void {
  const [frame = "", caret = ""] = message.split("\n").slice(-2);
  expect(frame.slice(caret.indexOf("^"))).toMatch(new RegExp(`^${word.replace(/[.*+?^${}()|[\]\\%]/g, "\\$&")}`));
}

const json = (instruction: string) =>
  `{"tests": [\n  {"name": "t", "locs": {"x": 0},\n   "threads": [["W x 1", "${instruction}"]]}\n]}`;

describe("JSON", () => {
  test.each([
    ["unknown instruction", json("STORE x 1"), "litmus/unknown-instruction", "STORE"],
    ["a name that every object has", json("constructor x"), "litmus/unknown-instruction", "constructor"],
    ["unknown location", json("W q 1"), "litmus/unknown-location", "q"],
    ["unknown register", json("W x r+1"), "litmus/unknown-register", "r+1"],
    ["too many operands", json("FL x y"), "litmus/operands", "y"],
    ["jump too far", json("JZ 1 3"), "litmus/jump", "3"],
    ["not a register", json("R 5 x"), "litmus/register", "5"],
    ["not JSON", '{"tests": [\n  {"name" "t"}\n]}', "litmus/json", '"t"'],
    ["unfinished", '{"tests": [\n', "litmus/json", ""],
    ["missing entry", '{"name": "t", "threads": []}', "litmus/missing", '{"name"'],
    ["wrong type", '{"name": "t", "locs": {"x": "0"}, "threads": []}', "litmus/type", '"0"'],
    [
      "bad verdict",
      '{"name": "t", "locs": {"x": 0}, "threads": [], "checks": [{"crash": {"x": 1}, "verdict": "MAYBE"}]}',
      "litmus/check",
      '"MAYBE"',
    ],
    [
      "unknown location in a check",
      '{"name": "t", "locs": {"x": 0}, "threads": [], "checks": [{"crash": {"z": 1}, "verdict": "ALLOWED"}]}',
      "litmus/unknown-location",
      "1",
    ],
  ])("%s", (_title, text, code, culprit) => {
    const error = failureOf(text);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^t\.litmus:\d+:\d+: /);
    expectCaretUnder(error.message, culprit);
  });

  test("the position is counted in lines and columns from 1", () => {
    expect(failureOf(json("W q 1")).facts).toMatchObject({ file: "t.litmus", line: 3, column: 29 });
  });

  test("values, registers, jumps and initial values", () => {
    const [litmus] = parseTests({
      file: "t",
      text: '{"name":"t","locs":{"x":4,"y":4},"init":{"y":7},"threads":[["R r x","JNE r 2 1","W y r+3","XCHG s y r"]]}',
    });
    expect(litmus?.locations).toEqual([
      { name: "x", line: 4, initial: 0 },
      { name: "y", line: 4, initial: 7 },
    ]);
    const code = litmus?.phases[0]?.[0]?.code ?? [];
    expect(code[1]).toMatchObject({ kind: "jump", when: "nonzero", target: 3, value: { constant: -2 } });
    expect(code[2]).toMatchObject({ kind: "store", value: { constant: 3, terms: [{ register: 0, factor: 1 }] } });
  });
});

const herd = (cell: string, condition = "exists (x=1)") =>
  `X86_64 T\n{\n}\n P0          ;\n movl $1,(x) ;\n ${cell} ;\n${condition}\n`;

describe("herd", () => {
  test.each([
    ["unknown instruction", herd("frobl $1,(x)"), "litmus/unknown-instruction", "frobl"],
    ["unknown register", herd("movl (x),%exx"), "litmus/unknown-register", "%exx"],
    ["unknown location in the condition", herd("mfence", "exists (z=1)"), "litmus/unknown-location", "z=1"],
    ["register nobody uses", herd("mfence", "exists (0:rdx=1)"), "litmus/unknown-register", "0:rdx"],
    ["no such thread", herd("mfence", "exists (3:rax=1)"), "litmus/unknown-register", "3:rax"],
    ["register without an address", herd("movl $1,(%rdi)"), "litmus/operands", "(%rdi)"],
    ["loop", herd("L: jmp L"), "litmus/loop", "L"],
    ["no such label", herd("jmp M"), "litmus/unknown-label", "M"],
    ["mixed sizes", herd("movq $1,(x)"), "litmus/mixed-size", "(x)"],
    ["unlocked cmpxchg", herd("cmpxchgl %ecx,(x)"), "litmus/operands", "cmpxchgl"],
    ["lock on mov", herd("lock movl $1,(x)"), "litmus/operands", "lock"],
    ["wrong number of operands", herd("clflush (x),(x)"), "litmus/operands", "clflush"],
    ["more cells than threads", herd("mfence | mfence"), "litmus/syntax", "mfence"],
    ["unfinished condition", herd("mfence", "exists (x=1 /\\"), "litmus/condition", ""],
    ["missing condition", "X86_64 T\n{ }\n P0 ;\n movl $1,(x) ;\n", "litmus/syntax", ""],
    ["another machine", "AArch64 T\n{ }\n P0 ;\n", "litmus/header", "AArch64"],
    ["initial state not closed", "X86_64 T\n{ x=1;\n", "litmus/initial", "{"],
    ["initial register unknown", "X86_64 T\n{ 0:rzz=1; }\n P0 ;\nexists (x=1)", "litmus/unknown-register", "0:rzz"],
    [
      "line of an unknown location",
      "X86_64 T\nLines=x q\n{ }\n P0 ;\n movl $1,(x) ;\nexists (x=1)",
      "litmus/unknown-location",
      "q",
    ],
  ])("%s", (_title, text, code, culprit) => {
    const error = failureOf(text);
    expect(error.code).toBe(code);
    expectCaretUnder(error.message, culprit);
  });

  test("line sharing, comments, quantifiers", () => {
    const text =
      "X86_64 T\nLines=x y, z w\n{ int x=2; uint64_t 0:rax; 1:rdi=z; }\n(* a comment ; | *)\n P0 | P1 ;\n movq $1,(x) | movq $3,(%rdi) ;\n movq $1,(y) | movq (w),%rax ;\n movq $1,(v) | ;\n~exists at end (recovered y=1 /\\ not recovered x=1)\n";
    const [litmus] = parseTests({ file: "t", text });
    const lines = Object.fromEntries(litmus?.locations.map(({ name, line }) => [name, line]) ?? []);
    expect(lines.x).toBe(lines.y);
    expect(lines.z).toBe(lines.w);
    expect(new Set([lines.x, lines.z, lines.v]).size).toBe(3);
    expect(litmus?.checks[0]).toMatchObject({ at: "end", expected: "FORBIDDEN" });
    expect(litmus?.locations.find(({ name }) => name === "x")?.initial).toBe(2);
  });

  test("what a condition speaks of decides when it is judged", () => {
    const at = (condition: string) =>
      parseTests({ file: "t", text: herd("movl (x),%eax", condition) })[0]?.checks[0]?.at;
    expect(at("exists (0:rax=1)")).toBe("final");
    expect(at("exists (recovered x=1)")).toBe("any");
    expect(at("exists at end (recovered x=1)")).toBe("end");
    expect(at("exists (0:rax=1 /\\ recovered x=0)")).toBe("end");
  });
});
