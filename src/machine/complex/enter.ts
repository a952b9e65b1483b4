/**
 * ENTER: a stack frame, with copies of the enclosing frames' pointers for nested ones. SDM vol. 2: ENTER. The new top of the
 * stack must be writable, though nothing is written there.
 */

import { formName, type Instruction } from "../../isa/x86/index.ts";
import { type StopCode, stop } from "../runtime/index.ts";
import type { ComplexContext } from "./context.ts";

const rsp = 4;
const rbp = 5;

export function enter(machine: ComplexContext, instruction: Instruction): StopCode {
  const size = formName(instruction).startsWith("Enterw") ? 2 : 8;
  const [space, level] = instruction.operands.map((operand) => (operand.kind === "imm" ? operand.value : 0n));
  const depth = Number(level! & 31n);
  let top = machine.readGpr(rsp);
  const push = (value: bigint) => {
    top = BigInt.asUintN(64, top - BigInt(size));
    return machine.store(top, size, value);
  };
  const oldFrame = machine.readGpr(rbp);
  if (!push(oldFrame)) return machine.stopped;
  const frame = top;
  for (let i = 1; i < depth; i++) {
    const outer = machine.load(BigInt.asUintN(64, oldFrame - BigInt(i * size)), size);
    if (outer === undefined || !push(outer)) return machine.stopped;
  }
  if (depth > 0 && !push(frame)) return machine.stopped;
  const end = BigInt.asUintN(64, top - space!);
  if (!machine.probe(end, size)) return machine.stopped;
  const mask = size === 2 ? 0xffffn : 0xffff_ffff_ffff_ffffn;
  machine.writeGpr(rbp, (oldFrame & ~mask) | (frame & mask));
  machine.writeGpr(rsp, end);
  return stop.none;
}
