/** Floating-point comparisons. SDM vol. 2: CMPPS and its kin, COMISS, UCOMISD. */
import type { Instruction } from "../../../x86/index.ts";
import type { Lift } from "../../builder.ts";
import { readScalar, type Scalar, type Vector, writeScalar } from "./float.ts";
import { immediate } from "./operands.ts";

/** CF ZF PF from the order of the operands; OF SF AF are cleared. */
const order =
  (type: Scalar, quietIsInvalid: 0 | 1): Lift =>
  (b, { operands: [first, second] }) => {
    const right = readScalar(b, type, second!);
    const bits = b.op(`x86.${type}.order`, readScalar(b, type, first!), right, b.i32(quietIsInvalid));
    b.trapIf(b.op("x86.float_trap_i32", bits), "float");
    b.setRawFlags(bits);
  };

/** Legacy forms look at three bits of the immediate, VEX forms at five. */
const predicate = ({ encoding, operands }: Instruction): number =>
  immediate(operands.at(-1)) & (encoding === "vex" ? 31 : 7);

/** All ones in the lowest element when the predicate holds, else zeros. */
const scalarMask =
  (type: Scalar): Lift =>
  (b, instruction) => {
    const [destination, source] = instruction.operands;
    const right = readScalar(b, type, source!);
    const left = readScalar(b, type, destination!);
    const holds = b.op(`x86.${type}.compare`, left, right, b.i32(predicate(instruction)));
    const mask = b.op("i32.sub", b.i32(0), holds);
    const bits =
      type === "f32" ? b.op("f32.reinterpret_i32", mask) : b.op("f64.reinterpret_i64", b.op("i64.extend_i32_s", mask));
    writeScalar(b, type, destination!, bits);
  };

const packedMask =
  (type: Vector): Lift =>
  (b, instruction) => {
    const [destination, source] = instruction.operands;
    const right = b.readVector(source!);
    const left = b.readVector(destination!);
    b.writeChecked(destination!, b.op(`x86.${type}.compare`, left, right, b.i32(predicate(instruction))));
  };

export const floatCompareSemantics = {
  comiss: order("f32", 1),
  comisd: order("f64", 1),
  ucomiss: order("f32", 0),
  ucomisd: order("f64", 0),
  cmpss: scalarMask("f32"),
  cmpsd: scalarMask("f64"),
  cmpps: packedMask("f32x4"),
  cmppd: packedMask("f64x2"),
} satisfies Record<string, Lift>;
