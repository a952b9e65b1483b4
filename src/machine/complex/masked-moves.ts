/**
 * VMASKMOVPS, VPMASKMOVD and their kin: elements whose mask element has its top bit set are loaded, or stored (SDM vol. 2).
 * Always:
 * - Only elements that are chosen can fault; those that are not read as zero.
 * - Nothing is written before all that can fault has been tried.
 */
import type { Instruction, Memory } from "../../isa/x86/index.ts";
import { type StopCode, stop } from "../runtime/index.ts";
import type { ComplexContext } from "./context.ts";
import { operandAddress } from "./state-image.ts";
import { VectorRegister } from "./vector-register.ts";

type ElementBytes = 4 | 8;

/** Numbers of the elements that the mask chooses. */
const chosen = (mask: VectorRegister, size: ElementBytes): readonly number[] =>
  Array.from({ length: mask.bytes / size }, (_, i) => i).filter((i) => mask.isNegative(i, size));

function load(machine: ComplexContext, { operands }: Instruction, size: ElementBytes): StopCode {
  const [destination, mask, memory] = operands;
  const address = operandAddress(machine, memory as Memory);
  const values = new Map<number, bigint>();
  for (const i of chosen(new VectorRegister(machine, mask!), size)) {
    const value = machine.load(BigInt.asUintN(64, address + BigInt(i * size)), size);
    if (value === undefined) return machine.stopped;
    values.set(i, value);
  }
  const register = new VectorRegister(machine, destination!);
  register.clear();
  for (const [i, value] of values) register.set(i, size, value);
  return stop.none;
}

function store(machine: ComplexContext, { operands }: Instruction, size: ElementBytes): StopCode {
  const [memory, mask, source] = operands;
  const address = operandAddress(machine, memory as Memory);
  const places = chosen(new VectorRegister(machine, mask!), size).map((i) => ({
    at: BigInt.asUintN(64, address + BigInt(i * size)),
    value: new VectorRegister(machine, source!).get(i, size),
  }));
  for (const { at } of places) if (!machine.probe(at, size)) return machine.stopped;
  for (const { at, value } of places) if (!machine.store(at, size, value)) return machine.stopped;
  return stop.none;
}

export const maskedMove =
  (size: ElementBytes) =>
  (machine: ComplexContext, instruction: Instruction): StopCode =>
    (instruction.operands[0]!.kind === "mem" ? store : load)(machine, instruction, size);
