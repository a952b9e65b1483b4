/** Recovered control flow against what really runs: every step of a program is an edge, every instruction is in a block. */
import { afterAll, describe, expect, test } from "vitest";
import { type FunctionFlow, recoverFlow, reversePostorder, solveForward } from "../../src/isa/control-flow/index.ts";
import { readElf, readSymbols, segmentTypes } from "../../src/program/elf/index.ts";
import { bytesOf, openWorkshop, run } from "../elf/compile.ts";
import { loadGuest } from "../support/programs.ts";

const source = `
#include <stdlib.h>
#include <stdio.h>
enum op { add, sub, mul, neg, dup, swap, jump, jz, halt };
__attribute__((noipa)) static long interpret(const signed char *code, long x) {
  long stack[16], *top = stack;
  *top = x;
  for (int at = 0;;) {
    switch (code[at++]) {
      case add: top--; top[0] += top[1]; break;
      case sub: top--; top[0] -= top[1]; break;
      case mul: top--; top[0] *= top[1]; break;
      case neg: *top = -*top; break;
      case dup: top[1] = top[0]; top++; break;
      case swap: { long t = top[0]; top[0] = top[-1]; top[-1] = t; } break;
      case jump: at += code[at]; break;
      case jz: at += *top == 0 ? code[at] : 1; break;
      case halt: return *top;
      default: abort();
    }
  }
}
__attribute__((noipa)) static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noipa)) static long search(const int *v, int n, int key) {
  int low = 0, high = n;
  while (low < high) { int middle = (low + high) / 2; if (v[middle] < key) low = middle + 1; else high = middle; }
  return low < n && v[low] == key ? low : -1;
}
int main(void) {
  static const signed char code[] = { dup, dup, mul, swap, add, neg, dup, jz, 3, dup, sub, jump, -6, halt, halt };
  int v[40];
  for (int i = 0; i < 40; i++) v[i] = i * 37 % 41;
  qsort(v, 40, sizeof *v, compare);
  long sum = 0;
  for (int i = 0; i < 45; i++) sum += search(v, 40, i);
  for (int i = 1; i < 4; i++) sum += interpret(code, i);
  printf("%ld\\n", sum);
  return 0;
}
`;

const workshop = openWorkshop();
afterAll(() => workshop.close());

interface Function {
  readonly name: string;
  readonly low: number;
  readonly high: number;
}

/** The functions of a program, and their bytes at the addresses of its file. */
function open(program: string) {
  const elf = readElf(bytesOf(program), program);
  const code = {
    bytes: (address: number, length: number) => {
      const segment = elf.segments.find(
        ({ type, vaddr, filesz }) => type === segmentTypes.load && address >= vaddr && address < vaddr + filesz,
      );
      if (segment === undefined) return new Uint8Array();
      const at = segment.offset + address - segment.vaddr;
      return elf.bytes.subarray(at, Math.min(at + length, segment.offset + segment.filesz));
    },
  };
  const functions: readonly Function[] = readSymbols(elf)
    .filter(({ kind, size, name }) => kind === "function" && size > 0 && /^(interpret|compare|search|main)$/.test(name))
    .map(({ name, value, size }) => ({ name, low: value, high: value + size }));
  return { code, functions };
}

const instructionsOf = (flow: FunctionFlow): readonly number[] =>
  [...flow.blocks.values()].flatMap(({ block }) => block.ops.flatMap((op) => (op.kind === "inst" ? [op.address] : [])));

/** From each instruction to those that may come next in the same function. */
function stepsOf(flow: FunctionFlow): ReadonlyMap<number, ReadonlySet<number>> {
  const steps = new Map<number, ReadonlySet<number>>();
  for (const { block, successors } of flow.blocks.values()) {
    const own = block.ops.flatMap((op) => (op.kind === "inst" ? [op.address] : []));
    own.forEach((address, index) => {
      const next = own[index + 1];
      steps.set(address, next === undefined ? new Set(successors) : new Set([next]));
    });
  }
  return steps;
}

describe.each(["-O0", "-O1", "-O2"])("at %s", (level) => {
  const program = workshop.compile("gcc", `flow${level}`, source, [level, "-no-pie", "-march=x86-64-v2"]);
  const { code, functions } = open(program);
  const flows = functions.map((one) => ({ ...one, flow: recoverFlow(code, one.low, [one])! }));

  test("blocks hold every instruction that objdump sees, once, and no jump is left open", () => {
    expect(flows.map(({ name }) => name).sort((a, b) => a.localeCompare(b))).toEqual([
      ...["compare", "interpret", "main", "search"],
    ]);
    for (const { low, high, flow } of flows) {
      const listed = run("objdump", [
        "-d",
        "--no-show-raw-insn",
        `--start-address=${low}`,
        `--stop-address=${high}`,
        program,
      ]);
      const seen = listed.split("\n").flatMap((line) => {
        const [, address, mnemonic] = /^ +([0-9a-f]+):\s+(?:data16 |cs )*(\w+)/.exec(line) ?? [];
        return address === undefined || /^(nop|xchg)/.test(mnemonic!) ? [] : [Number.parseInt(address, 16)];
      });
      expect(seen.length).toBeGreaterThan(0);
      const ours = instructionsOf(flow);
      expect(new Set(ours).size).toBe(ours.length);
      expect(seen.filter((address) => !ours.includes(address))).toEqual([]);
      expect(flow.unresolved).toEqual([]);
    }
  });

  test("every step the program makes within a function is there", () => {
    const { machine } = loadGuest([program]);
    const main = functions.find(({ name }) => name === "main")!;
    machine.stopAt([main.low]);
    expect(machine.run()).toEqual({ kind: "address", address: main.low });
    machine.stopAt([]);
    const steps = new Map(flows.flatMap(({ flow }) => [...stepsOf(flow)]));
    const within = (pc: number) => functions.find(({ low, high }) => pc >= low && pc < high);
    const wrong = new Set<string>();
    let [count, before] = [0, main.low];
    for (let step = 0; step < 15_000; step++) {
      if (machine.run(1).kind === "ended") break;
      const pc = machine.rip;
      const isCall = functions.some(({ low }) => low === pc);
      if (within(pc) !== undefined && within(before) === within(pc) && !isCall) {
        count++;
        if (pc !== before && !steps.get(before)?.has(pc)) wrong.add(`${before.toString(16)} → ${pc.toString(16)}`);
      }
      before = pc;
    }
    expect([...wrong]).toEqual([]);
    expect(count).toBeGreaterThan(2000);
  });
});

test("a fact holds where it holds on every way, and loops come to rest", () => {
  const program = workshop.compile("gcc", "facts", source, ["-O1", "-no-pie", "-march=x86-64-v2"]);
  const { code, functions } = open(program);
  const main = functions.find(({ name }) => name === "main")!;
  const flow = recoverFlow(code, main.low, [main])!;
  // Which blocks lie on every way from the entry: dominators, by the solver and by taking each block away.
  const dominators = solveForward<ReadonlySet<number>>(flow, {
    atRoot: (root) => new Set([root]),
    through: (_, before, successor) => new Set([...before, successor]),
    merge: (known, added) => {
      const both = [...known].filter((one) => added.has(one));
      return both.length === known.size ? known : new Set(both);
    },
    atWorst: (at) => new Set([at]),
  });
  const reachable = (without: number) => {
    const blocks = new Map([...flow.blocks].filter(([at]) => at !== without));
    return new Set(reversePostorder({ ...flow, blocks }));
  };
  for (const at of reversePostorder(flow)) {
    const slow = [...flow.blocks.keys()].filter((one) => one === at || !reachable(one).has(at));
    expect([...dominators.get(at)!].toSorted((a, b) => a - b)).toEqual(slow.toSorted((a, b) => a - b));
  }
});
