/** What a region takes in: not what is cold, not what is compiled and large, not what lies behind a jump to many places. */
import { expect, test } from "vitest";
import { assemble } from "../../../test/support/assemble.ts";
import { liftBlock } from "../../isa/lift/index.ts";
import { defaultCompilerOptions } from "./compiler.ts";
import { type CodeSource, selectRegion } from "./region.ts";

const start = 0x40_0000;
const { limits } = defaultCompilerOptions;

const sourceOf = (text: string, more: Partial<CodeSource> = {}): CodeSource => {
  const bytes = assemble(text, start);
  return {
    blockAt: (address) => liftBlock(bytes.subarray(address - start), address),
    executions: () => limits.coldFactor,
    slotOf: () => undefined,
    ...more,
  };
};
const blocksOf = (source: CodeSource) =>
  selectRegion(start, source, limits)
    .nodes.map(({ block }) => block.start)
    .toSorted((a, b) => a - b);

/** TEST, JZ and SYSCALL take two bytes each, INC and DEC three. */
const fork = `
    test eax, eax
    jz other
    inc rbx
    syscall
  other: dec rbx
    syscall`;
const [near, far] = [start + 4, start + 9];

test("both ways of a branch that has gone both ways", () => {
  expect(blocksOf(sourceOf(fork))).toEqual([start, near, far]);
});

test("a block that ran too seldom is left out, one that just did not is taken", () => {
  const executions = (count: number) => (address: number) => (address === far ? count : 10 * limits.coldFactor);
  expect(blocksOf(sourceOf(fork, { executions: executions(10) }))).toEqual([start, near, far]);
  expect(blocksOf(sourceOf(fork, { executions: executions(9) }))).toEqual([start, near]);
});

test("a large region that is there already is left out, a small one is copied", () => {
  const sizeOf = (size: number) => (address: number) => (address === far ? size : 0);
  expect(blocksOf(sourceOf(fork, { sizeOf: sizeOf(limits.settledInstructions) }))).toEqual([start, near]);
  expect(blocksOf(sourceOf(fork, { sizeOf: sizeOf(limits.settledInstructions - 1) }))).toEqual([start, near, far]);
});

test("a jump is followed to a few targets, and not if there are many", () => {
  const jump = `
    jmp rax
    .rept 8
    syscall
    .endr`;
  const targets = [2, 4, 6, 8].map((offset) => start + offset);
  const seen = (count: number) => ({ targetsOf: () => targets.slice(0, count) });
  expect(blocksOf(sourceOf(jump, seen(3)))).toEqual([start, ...targets.slice(0, 3)]);
  expect(blocksOf(sourceOf(jump, seen(4)))).toEqual([start]);
});

/** CALL takes five bytes, SYSCALL and JMP two each. */
const [back, stub, behind] = [start + 5, start + 7, start + 9];
const calling = (instructions: number) => `
    call stub
    syscall
  stub: jmp rax
    .rept ${instructions}
    inc rbx
    .endr
    ret`;

test("a function behind a stub is taken in if it is small, and only if it is known", () => {
  const known = { targetsOf: (address: number) => (address === stub ? [behind] : []) };
  expect(blocksOf(sourceOf(calling(10), known))).toEqual([start, back, stub, behind]);
  expect(blocksOf(sourceOf(calling(limits.inlineInstructions), known))).toEqual([start, back]);
  expect(blocksOf(sourceOf(calling(10)))).toEqual([start, back]);
});

/** CALL takes five bytes, TEST, JZ and SYSCALL two each, INC three, RET one. */
const [fn, seldom] = [start + 11, start + 17];
const callingFork = (instructions: number) => `
    call function
    syscall
    nop
    nop
    test eax, eax
  function: jz seldom
    inc rbx
    ret
  seldom:
    .rept ${instructions}
    dec rbx
    .endr
    ret`;

test("of a function to be inlined only what is warm counts", () => {
  const executions = (count: number) => (address: number) => (address === seldom ? count : 10 * limits.coldFactor);
  const long = callingFork(limits.inlineInstructions);
  expect(blocksOf(sourceOf(long, { executions: executions(9) }))).toEqual([start, back, fn, fn + 2]);
  expect(blocksOf(sourceOf(long, { executions: executions(10) }))).toEqual([start, back]);
});

test("a call that runs seldom is followed only if the function takes no more code than the call", () => {
  const text = (instructions: number) => `
    test eax, eax
    jz other
    call function
    syscall
  other: syscall
  function:
    .rept ${instructions}
    inc rbx
    .endr
    ret`;
  const callee = near + 9;
  const executions = (address: number) => (address === near ? 10 : 10 * 17);
  expect(blocksOf(sourceOf(text(31), { executions }))).toContain(callee);
  expect(blocksOf(sourceOf(text(32), { executions }))).not.toContain(callee);
});

test("an inlined function is not left for want of room: what else there is comes after it", () => {
  const text = `
    test eax, eax
    jz calls
    jmp other
  calls: call function
    syscall
  other: inc rbx
    inc rbx
    syscall
  function: jmp 1f
  1: jmp 2f
  2: ret`;
  const few = { ...limits, instructions: 8 };
  const { nodes } = selectRegion(start, sourceOf(text), few);
  const inlined = nodes.filter(({ inlined }) => inlined);
  const returns = nodes.filter(({ block }) => block.exit.kind === "return");
  expect([inlined.length, returns.length]).toEqual([1, 1]);
});
