/** Sets of guest registers as bit masks, in the order of ir `registers`. */
import { type Register, registers } from "../../isa/ir/index.ts";

export type RegisterSet = bigint;

const bits = new Map(registers.map((register, i) => [register, 1n << BigInt(i)]));
const byBit: readonly [bigint, Register][] = registers.map((register, i) => [1n << BigInt(i), register]);

export const bitOf = (register: Register): RegisterSet => bits.get(register)!;
export const registersIn = (set: RegisterSet): Register[] =>
  byBit.filter(([bit]) => (set & bit) !== 0n).map(([, register]) => register);
