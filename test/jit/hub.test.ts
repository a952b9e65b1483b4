/** An interpreter written in guest code is one region, whatever its instructions, and does the same as interpreted. */
import { describe, expect, test } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { cpuOffset } from "../../src/isa/ir/index.ts";
import { KeptRegions } from "../../src/machine/cpu/kept-regions.ts";
import { hubTargets } from "../../src/machine/jit/index.ts";
import { cpuAddress } from "../../src/machine/runtime/index.ts";
import { assemble } from "../support/assemble.ts";
import { code, data, machineWith, stateOf, withRealTier } from "./machine.ts";

/** Its own instructions are bytes at `data`: arithmetic, a store, a call, a call of the interpreter itself, the end. */
const interpreter = `
    mov esi, ${data}
    call interpret
    syscall
  interpret: movzx eax, byte ptr [rsi]
  again: inc rsi
    cmp al, 7
    ja skip
    lea rdx, [rip + table]
    movsxd rax, dword ptr [rdx + 4*rax]
    add rax, rdx
    jmp rax
  skip: movzx eax, byte ptr [rsi]
    jmp again
  increment: inc rbx
    jmp interpret
  double: lea rcx, [rcx + 2*rbx]
    movzx eax, byte ptr [rsi]
    jmp again
  mix: xor rbx, rcx
    jc interpret
    rol rcx, 5
    jmp interpret
  count: inc dword ptr [${data} + 0x2000]
    jmp interpret
  helper: call triple
    jmp interpret
  nest: push rsi
    inc rsi
    cmp byte ptr [rsi - 1], 0
    je 1f
    call interpret
  1: pop rsi
    inc rsi
    jmp interpret
  repeat: dec rdi
    jz finish
    mov esi, ${data}
    jmp interpret
  finish: ret
  triple: lea rbx, [rbx + 2*rbx]
    ret
  .balign 4
  table: .long increment-table, double-table, mix-table, count-table, helper-table, nest-table, repeat-table, finish-table`;

const joined = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

const repeat = 6;
const finish = 7;

/** Runs the byte programs one after the other, on the same machine. */
const run = (hotAfter: number, programs: readonly (readonly number[])[], rounds: number, kept?: KeptRegions) =>
  runOn(interpreter, hotAfter, programs, rounds, kept);

function runOn(
  text: string,
  hotAfter: number,
  programs: readonly (readonly number[])[],
  rounds: number,
  kept?: KeptRegions,
) {
  const machine = machineWith(text, hotAfter);
  const { memory, processor } = machine;
  const tier = withRealTier(machine, kept);
  const result = programs.map((bytes) => {
    memory.load(data, Uint8Array.from(bytes));
    memory.view.setBigUint64(cpuAddress(cpuOffset.rip), BigInt(code), true);
    machine.set(7, BigInt(rounds));
    const { event, retired } = processor.run(20_000_000);
    return { event, retired, state: stateOf(machine), regions: tier.regions };
  });
  return {
    result: result.map(({ regions: _, ...rest }) => rest),
    regions: result.map(({ regions }) => regions),
  };
}

describe("an interpreter's loop", () => {
  test.each([1, 2, 3, 4, 5, 6])("of random instructions, seed %i", (seed) => {
    const random = seedRandom(seed);
    const bytes = Array.from({ length: 40 }, () => [0, 1, 2, 3, 4, 9][below(random, 6)]!);
    const { result } = run(20, [[...bytes, repeat]], 400);
    expect(result).toEqual(run(0, [[...bytes, repeat]], 400).result);
    expect(result[0]!.event).toEqual({ kind: "syscall" });
  });

  test("is compiled at its hub, and again when more of its instructions are in use", () => {
    const programs = [
      [0, 1, 2, 3, repeat],
      [0, 4, 5, 0, 3, repeat],
    ];
    const { result, regions } = run(20, programs, 500);
    expect(result).toEqual(run(0, programs, 500).result);
    // The hub; then the loop's start, the two instructions, and the hub again with both of them.
    expect(regions).toEqual([1, 5]);
  });

  test("keeps what an earlier run had compiled of it when a later one, which does not use that, adds to it", () => {
    const kept = new KeptRegions();
    const hub = () => [...kept.slots.keys()].map((entry) => kept.get(entry)).find((region) => region?.isHub);
    run(20, [[0, 1, 2, 3, repeat]], 500, kept);
    const earlier = hub()!.blocks.map(({ start }) => start);
    const later = [[0, 4, 5, 0, 3, repeat]];
    expect(run(20, later, 500, kept).result).toEqual(run(0, later, 500).result);
    const starts = hub()!.blocks.map(({ start }) => start);
    expect(starts).toEqual(expect.arrayContaining(earlier));
    expect(starts.length).toBeGreaterThan(earlier.length);
  });

  test("goes on when it calls itself deeper than WebAssembly may", () => {
    const bytes = Array.from({ length: 3000 }, () => [5, 1, 0]).flat();
    const nested = [[...bytes, finish]];
    const { result } = run(20, nested, 1);
    expect(result).toEqual(run(0, nested, 1).result);
  });
});

/** As compilers make it of computed gotos: each instruction ends with a jump of its own by the same table. */
const next = `movzx eax, byte ptr [rsi]
    inc rsi
    lea rdx, [rip + table]
    movsxd rax, dword ptr [rdx + 4*rax]
    add rax, rdx
    jmp rax`;
const threaded = `
    mov esi, ${data}
    ${next}
  ${Array.from({ length: 7 }, (_, i) => `do${i}: add rbx, ${i + 1}\n${next}`).join("\n  ")}
  finish: syscall
  .balign 4
  table: ${Array.from({ length: 7 }, (_, i) => `.long do${i}-table`).join("\n")}
  .long finish-table`;

/** How an instruction finds the next: by a table at a fixed place, by one whose address is kept in a register, by pointers in the code. */
const dispatches = {
  "a table": next,
  "a table in a register": `movzx eax, byte ptr [rsi]
    inc rsi
    mov rax, qword ptr [r14 + 8*rax]
    jmp rax`,
  pointers: `add r13, 8
    jmp qword ptr [r13 - 8]`,
} as const;
type Dispatch = keyof typeof dispatches;
const gotoRepeat = 8;
const pointers = data + 0x1000;

/** Arithmetic, a store, a call, an instruction with a loop of its own, and the end of a round. */
const gotos = (dispatch: Dispatch) => {
  const on = dispatches[dispatch];
  return `
    lea r14, [rip + wide]
  round: mov esi, ${data}
    mov r13d, ${pointers}
    ${on}
  do0: add rbx, 3\n${on}
  do1: lea rcx, [rcx + 2*rbx]\n${on}
  do2: xor rbx, rcx\n${on}
  do3: add dword ptr [${data} + 0x2000], ebx\n${on}
  do4: call triple\n${on}
  do5: mov edx, 5
  1: rol rcx, 3
    dec edx
    jnz 1b
    ${on}
  do6: adc rbx, rcx\n${on}
  do7: cmp rbx, rcx
    jb 1f
    ror rbx, 7
  1: ${on}
  do8: dec rdi
    jnz round
    syscall
  triple: lea rbx, [rbx + 2*rbx]
    ret
  .balign 8
  table: ${Array.from({ length: gotoRepeat + 1 }, (_, i) => `.long do${i}-table`).join("\n")}
  .balign 8
  wide: ${Array.from({ length: gotoRepeat + 1 }, (_, i) => `.quad do${i}`).join("\n")}`;
};

/** The machine at its end, and how many regions it took. */
function runGotos(dispatch: Dispatch, hotAfter: number, programs: readonly (readonly number[])[], kept?: KeptRegions) {
  const text = gotos(dispatch);
  const bytes = assemble(text, code);
  const wide = bytes.length - 8 * (gotoRepeat + 1);
  const places = new DataView(bytes.buffer, bytes.byteOffset + wide);
  const machine = machineWith(bytes, hotAfter);
  const { memory, processor } = machine;
  const tier = withRealTier(machine, kept);
  return programs.map((program) => {
    const all = [...program, gotoRepeat];
    memory.load(data, Uint8Array.from(all));
    for (const [i, op] of all.entries())
      memory.view.setBigUint64(pointers + 8 * i, places.getBigUint64(8 * op, true), true);
    memory.view.setBigUint64(cpuAddress(cpuOffset.rip), BigInt(code), true);
    machine.set(7, 300n);
    const { event, retired } = processor.run(20_000_000);
    return { event, retired, state: stateOf(machine), regions: tier.regions };
  });
}

describe.each(Object.keys(dispatches) as Dispatch[])("computed gotos by %s", (dispatch) => {
  const withoutRegions = (runs: ReturnType<typeof runGotos>) => runs.map(({ regions: _, ...rest }) => rest);
  const random = (seed: number, most: number) => {
    const state = seedRandom(seed);
    return Array.from({ length: 60 }, () => below(state, most));
  };

  test.each([1, 2, 3])("do what they do interpreted, also when more of them are in use, seed %i", (seed) => {
    const programs = [random(seed, 5), random(seed + 10, 8), random(seed + 20, 8)];
    const runs = runGotos(dispatch, 20, programs);
    expect(withoutRegions(runs)).toEqual(withoutRegions(runGotos(dispatch, 0, programs)));
    expect(runs[0]!.event).toEqual({ kind: "syscall" });
  });

  test("are one region, which is kept with all of its entries", () => {
    const kept = new KeptRegions();
    const programs = [random(7, 8)];
    const plain = withoutRegions(runGotos(dispatch, 0, programs));
    expect(withoutRegions(runGotos(dispatch, 20, programs, kept))).toEqual(plain);
    const loops = () =>
      [...new Set([...kept.slots.keys()].map((entry) => kept.homeOf(entry)))].map((entry) => kept.get(entry)!);
    expect(Math.max(...loops().map(({ entries }) => entries.length))).toBeGreaterThanOrEqual(7);
    const again = runGotos(dispatch, 20, programs, KeptRegions.from(joined(kept.toParts())));
    expect(withoutRegions(again)).toEqual(plain);
  });
});

/** A function that chooses by a table what to do, and returns. */
const choosing = `
    mov esi, ${data}
  again: movzx eax, byte ptr [rsi]
    inc rsi
    cmp al, ${repeat}
    je once
    call choose
    jmp again
  once: dec rdi
    jz finish
    mov esi, ${data}
    jmp again
  finish: syscall
  choose: lea rdx, [rip + table]
    movsxd rax, dword ptr [rdx + 4*rax]
    add rax, rdx
    jmp rax
  ${Array.from({ length: 6 }, (_, i) => `case${i}: add rbx, ${i + 1}\n    rol rbx, ${i}\n    ret`).join("\n  ")}
  .balign 4
  table: ${Array.from({ length: 6 }, (_, i) => `.long case${i}-table`).join("\n")}`;

/** How many places each jump by a table leads to, by what the compiler makes of it after the program ran. */
function hubs(program: string, bytes: readonly number[]): readonly number[] {
  const { memory, processor, set } = machineWith(program, 0);
  memory.load(data, Uint8Array.from(bytes));
  set(7, 3n);
  processor.run(100_000);
  const source = {
    blockAt: (address: number) => processor.translator.get(address)?.block,
    executions: () => 1,
    slotOf: () => undefined,
    peek: (address: number) => memory.readU64(address),
  };
  const blocks = Array.from({ length: 0x1000 }, (_, i) => source.blockAt(code + i)).filter(
    (block) => block !== undefined,
  );
  return blocks.filter(({ exit }) => exit.kind === "jump").map((block) => hubTargets(block, source).length);
}

describe("what is a hub", () => {
  test("the jump that all instructions come by", () => {
    expect(hubs(interpreter, [0, 1, 2, 3, 4, repeat])).toEqual([7]);
  });
  test("not a jump that nothing behind it comes back to: it is part of the region around it", () => {
    const bytes = [0, 1, 2, 3, 4, 5, repeat];
    expect(hubs(choosing, bytes)).toEqual([0]);
    const { result, regions } = runOn(choosing, 20, [bytes], 500);
    expect(result).toEqual(runOn(choosing, 0, [bytes], 500).result);
    expect(regions).toEqual([1]);
  });
  test("none of many jumps by one table", () => {
    const found = hubs(threaded, [0, 1, 2, 3, 4, 5, 6, 7]);
    expect(found.length).toBe(8);
    expect(found).toEqual(found.map(() => 0));
  });
});
