/**
 * VPGATHERDD and its kin: elements from addresses of their own, where the mask's element has its top bit set (SDM vol. 2).
 * An element that is there is out of the mask; so after a fault the instruction goes on where it stopped.
 */
import type { Instruction, Memory } from "../../isa/x86/index.ts";
import { type StopCode, stop } from "../runtime/index.ts";
import type { ComplexContext } from "./context.ts";
import { operandAddress } from "./state-image.ts";
import { VectorRegister } from "./vector-register.ts";

/** Bytes of an index and of an element. */
export const gather =
  (indexSize: 4 | 8, size: 4 | 8) =>
  (machine: ComplexContext, { operands: [destination, memory, given] }: Instruction): StopCode => {
    const [result, mask] = [new VectorRegister(machine, destination!), new VectorRegister(machine, given!)];
    const { index, vectorIndex } = memory as Memory;
    const indices = new VectorRegister(machine, { kind: vectorIndex!, index: index! });
    const count = Math.min(result.bytes / size, indices.bytes / indexSize);
    for (let i = 0; i < count; i++) {
      if (mask.isNegative(i, size)) {
        const distance = BigInt.asIntN(8 * indexSize, indices.get(i, indexSize)) * BigInt((memory as Memory).scale);
        const value = machine.load(operandAddress(machine, memory as Memory, distance), size);
        if (value === undefined) return machine.stopped;
        result.set(i, size, value);
      }
      mask.set(i, size, 0n);
    }
    result.clear(count * size);
    mask.clear();
    return stop.none;
  };
