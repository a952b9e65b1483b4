/**
 * CMPS and SCAS with a repeat prefix: until RCX is used up or ZF tells to stop (SDM vol. 2: REP). The flags are those of
 * the last comparison, also when the next one faults: so AMD processors do it; Intel ones put the flags back.
 */
import { eflagsBit } from "../../isa/ir/index.ts";
import type { Instruction } from "../../isa/x86/index.ts";
import { type StopCode, stop } from "../runtime/index.ts";
import type { ComplexContext, ElementSize } from "./context.ts";
import { Counter, Cursor, isBackward } from "./strings.ts";

/** CF PF AF ZF SF OF of left − right. */
export function subtractionFlags(left: bigint, right: bigint, size: ElementSize): number {
  const bits = 8 * size;
  const result = BigInt.asUintN(bits, left - right);
  const sign = (value: bigint) => Number((value >> BigInt(bits - 1)) & 1n);
  let ones = Number(result & 0xffn);
  ones ^= ones >> 4;
  ones ^= ones >> 2;
  ones ^= ones >> 1;
  const flag = (on: boolean | number | bigint, at: number) => (on ? 1 << at : 0);
  return (
    flag(left < right, eflagsBit.c) |
    flag(~ones & 1, eflagsBit.p) |
    flag(((left ^ right ^ result) >> 4n) & 1n, eflagsBit.a) |
    flag(result === 0n, eflagsBit.z) |
    flag(sign(result), eflagsBit.s) |
    flag(sign((left ^ right) & (left ^ result)), eflagsBit.o)
  );
}

interface Pair {
  readonly left: bigint;
  readonly right: bigint;
}

/** Compares pairs until the count or the condition ends it. `next` reads a pair; undefined: a stop code waits. */
function compareWhile(
  machine: ComplexContext,
  { repeat }: Instruction,
  counter: Counter,
  size: ElementSize,
  next: () => Pair | undefined,
  advance: () => void,
): StopCode {
  const goOnWhenEqual = repeat === "rep";
  let last: Pair | undefined;
  const note = () => {
    if (last) machine.writeArithmeticFlags(subtractionFlags(last.left, last.right, size));
  };
  while (counter.left !== 0n) {
    const pair = next();
    if (!pair) {
      note();
      return machine.stopped;
    }
    last = pair;
    advance();
    counter.take(1);
    if ((pair.left === pair.right) !== goOnWhenEqual) break;
  }
  note();
  return stop.none;
}

export function repeatCmps(machine: ComplexContext, instruction: Instruction, size: ElementSize): StopCode {
  const [src, dst] = instruction.operands;
  const source = new Cursor(machine, src!);
  const target = new Cursor(machine, dst!);
  const step = isBackward(machine) ? -size : size;
  const next = () => {
    const right = machine.load(target.address, size);
    const left = right === undefined ? undefined : machine.load(source.address, size);
    return left === undefined || right === undefined ? undefined : { left, right };
  };
  return compareWhile(machine, instruction, new Counter(machine, dst!), size, next, () => {
    source.advance(step);
    target.advance(step);
  });
}

export function repeatScas(machine: ComplexContext, instruction: Instruction, size: ElementSize): StopCode {
  const dst = instruction.operands[1]!;
  const target = new Cursor(machine, dst);
  const counter = new Counter(machine, dst);
  const left = BigInt.asUintN(8 * size, machine.readGpr(0));
  const backward = isBackward(machine);
  if (size === 1 && instruction.repeat === "repne" && !backward) skipOtherBytes(machine, target, counter, Number(left));
  const next = () => {
    const right = machine.load(target.address, size);
    return right === undefined ? undefined : { left, right };
  };
  return compareWhile(machine, instruction, counter, size, next, () => target.advance(backward ? -size : size));
}

/** REPNE SCASB looks for a byte: all but the last byte before it, or before the end, are passed in one go. */
function skipOtherBytes(machine: ComplexContext, target: Cursor, counter: Counter, byte: number): void {
  const length = target.plain(counter.pieceLimit(1), "read");
  if (length < 2) return;
  const start = Number(target.address);
  const found = machine.bytes.subarray(start, start + length - 1).indexOf(byte);
  const skipped = found < 0 ? length - 1 : found;
  target.advance(skipped);
  counter.take(skipped);
}
