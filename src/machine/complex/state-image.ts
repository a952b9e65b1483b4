/** FXSAVE, FXRSTOR and LDMXCSR (SDM vol. 1, 10.5): the image is machine/process/fxsave.ts's. */
import { cpuOffset, loadedMxcsr, mxcsr } from "../../isa/ir/index.ts";
import type { Instruction, Memory } from "../../isa/x86/index.ts";
import { FXSAVE_WRITTEN, restoreState, saveState } from "../process/index.ts";
import { cpuAddress, type StopCode, stop } from "../runtime/index.ts";
import type { ComplexContext } from "./context.ts";

/** Processors check that all 512 bytes are there before they begin, the last one first. */
const lastByte = 511n;

/** A memory operand's linear address; `distance` stands in for an index that is an element of a vector. */
export function operandAddress(machine: ComplexContext, memory: Memory, distance?: bigint): bigint {
  const register = (index: number | undefined) => (index === undefined ? 0n : machine.readGpr(index));
  const indexed = distance ?? register(memory.index) * BigInt(memory.scale);
  const sum = register(memory.base) + indexed + memory.displacement;
  const offset = BigInt.asUintN(memory.addressSize === 4 ? 32 : 64, sum);
  return BigInt.asUintN(64, offset + machine.segmentBase(memory.segment));
}

export const fxsave =
  (wide: boolean) =>
  (machine: ComplexContext, instruction: Instruction): StopCode => {
    const address = operandAddress(machine, instruction.operands[0] as Memory);
    if (address & 15n) return stop.protection;
    if (!machine.probe(address + lastByte, 1) || !machine.probe(address, 1)) return machine.stopped;
    const bytes = saveState(machine.view, cpuAddress(0), wide);
    if (machine.plainBytes(address, FXSAVE_WRITTEN, "write") === FXSAVE_WRITTEN) {
      machine.bytes.set(bytes, Number(address));
      return stop.none;
    }
    const image = new DataView(bytes.buffer);
    for (let i = 0; i < FXSAVE_WRITTEN; i += 8)
      if (!machine.store(address + BigInt(i), 8, image.getBigUint64(i, true))) return machine.stopped;
    return stop.none;
  };

export const fxrstor =
  (wide: boolean) =>
  (machine: ComplexContext, instruction: Instruction): StopCode => {
    const address = operandAddress(machine, instruction.operands[0] as Memory);
    if (address & 15n) return stop.protection;
    if (machine.load(address + lastByte, 1) === undefined) return machine.stopped;
    const bytes = new Uint8Array(FXSAVE_WRITTEN);
    const image = new DataView(bytes.buffer);
    for (let i = 0; i < FXSAVE_WRITTEN; i += 8) {
      const value = machine.load(address + BigInt(i), 8);
      if (value === undefined) return machine.stopped;
      image.setBigUint64(i, value, true);
    }
    return restoreState(machine.view, cpuAddress(0), bytes, wide) ? stop.none : stop.protection;
  };

/** Reserved bits must be zero, else #GP. */
export function ldmxcsr(machine: ComplexContext, instruction: Instruction): StopCode {
  const value = machine.load(operandAddress(machine, instruction.operands[0] as Memory), 4);
  if (value === undefined) return machine.stopped;
  if (value & ~BigInt(mxcsr.visible)) return stop.protection;
  machine.view.setUint32(cpuAddress(cpuOffset.mxcsr), loadedMxcsr(Number(value)), true);
  return stop.none;
}
