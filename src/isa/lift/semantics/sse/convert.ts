/**
 * Conversions between integers and floating point and between the two widths, and the control register. SDM vol. 2:
 * CVTSI2SD and its kin, LDMXCSR, STMXCSR. Exact ones (from 32-bit integers to f64) need no macro and raise nothing.
 */
import type { MacroName, Value } from "../../../ir/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { readScalar, type Scalar, writeScalar } from "./float.ts";
import { beginMmx, low, onlyLow, readMmx, readPacked, shuffleElements, withLow, writeMmx } from "./operands.ts";

const fromGeneral =
  (type: Scalar): Lift =>
  (b, { operands: [destination, source] }) => {
    const value = b.read(source!);
    const wide = b.typeOf(value) === "i64";
    if (type === "f64" && !wide) {
      const exact = b.op("f64.convert_i32_s", value);
      return b.writeVector(destination!, withLow(b, "f64", b.readVector(destination!), exact));
    }
    const name: MacroName = type === "f64" ? "x86.f64.from_i64" : wide ? "x86.f32.from_i64" : "x86.f32.from_i32";
    writeScalar(b, type, destination!, b.op(name, value));
  };

const toGeneral =
  (type: Scalar, how: "to" | "trunc"): Lift =>
  (b, { operands: [destination, source] }) => {
    const value = readScalar(b, type, source!);
    const wide = b.width(destination!) === 64;
    const result = b.op(`x86.${type}.${how}_${wide ? "i64" : "i32"}`, value);
    b.trapIf(b.op("x86.float_trap_i32", wide ? b.op("i32.wrap_i64", result) : result), "float");
    b.write(destination!, result);
  };

const betweenScalars =
  (name: "x86.f64.from_f32" | "x86.f32.from_f64", from: Scalar, to: Scalar): Lift =>
  (b, { operands: [destination, source] }) =>
    writeScalar(b, to, destination!, b.op(name, readScalar(b, from, source!)));

/** From the whole source, or from its lower half when that is all there is in memory. */
const packed =
  (name: MacroName): Lift =>
  (b, { operands: [destination, source] }) =>
    b.writeChecked(destination!, b.op(name, readPacked(b, source!)));

const cvtdq2pd: Lift = (b, { operands: [destination, source] }) =>
  b.writeVector(destination!, b.op("f64x2.convert_low_i32x4_s", readPacked(b, source!)));

/** Two integers in an MMX register or memory. Only a register operand enters MMX state when nothing can be inexact. */
function readPair(b: Builder, instruction: Parameters<Lift>[1]): Value {
  const source = instruction.operands[1]!;
  return source.kind === "mm" ? onlyLow(b, "i64", readMmx(b, source.index)) : readPacked(b, source);
}

const cvtpi2ps: Lift = (b, instruction) => {
  const [destination, source] = instruction.operands;
  beginMmx(b);
  const converted = b.op("x86.f32x4.from_i32x4", readPair(b, instruction));
  const merged = shuffleElements(b, 8, converted, b.readVector(destination!), [0, 3]);
  if (source!.kind === "mm") b.call("mmx_enter");
  b.writeChecked(destination!, merged);
};
const cvtpi2pd: Lift = (b, instruction) => {
  const [destination, source] = instruction.operands;
  if (source!.kind === "mm") beginMmx(b);
  b.writeVector(destination!, b.op("f64x2.convert_low_i32x4_s", readPair(b, instruction)));
  if (source!.kind === "mm") b.call("mmx_enter");
};

/** Two elements into an MMX register; what lies above them must not raise anything. An exception finds MMX state entered. */
const toPair =
  (name: MacroName): Lift =>
  (b, { operands: [destination, source] }) => {
    if (destination?.kind !== "mm") return;
    beginMmx(b);
    const whole = readPacked(b, source!);
    const wide = name.includes("f64x2");
    const result = b.op(name, wide ? whole : shuffleElements(b, 8, whole, b.v128(0n), [0, 2]));
    b.call("mmx_enter");
    b.trapIf(b.op("x86.float_trap", result), "float");
    writeMmx(b, destination.index, low(b, "i64", result));
  };

const stmxcsr: Lift = (b, { operands: [destination] }) => b.write(destination!, b.call("mxcsr_read"));

export const convertSemantics = {
  cvtsi2ss: fromGeneral("f32"),
  cvtsi2sd: fromGeneral("f64"),
  cvtss2si: toGeneral("f32", "to"),
  cvtsd2si: toGeneral("f64", "to"),
  cvttss2si: toGeneral("f32", "trunc"),
  cvttsd2si: toGeneral("f64", "trunc"),
  cvtss2sd: betweenScalars("x86.f64.from_f32", "f32", "f64"),
  cvtsd2ss: betweenScalars("x86.f32.from_f64", "f64", "f32"),
  cvtps2pd: packed("x86.f64x2.from_f32x4"),
  cvtpd2ps: packed("x86.f32x4.from_f64x2"),
  cvtdq2ps: packed("x86.f32x4.from_i32x4"),
  cvtps2dq: packed("x86.f32x4.to_i32x4"),
  cvttps2dq: packed("x86.f32x4.trunc_i32x4"),
  cvtpd2dq: packed("x86.f64x2.to_i32x4"),
  cvttpd2dq: packed("x86.f64x2.trunc_i32x4"),
  cvtdq2pd,
  cvtpi2ps,
  cvtpi2pd,
  cvtps2pi: toPair("x86.f32x4.to_i32x4"),
  cvttps2pi: toPair("x86.f32x4.trunc_i32x4"),
  cvtpd2pi: toPair("x86.f64x2.to_i32x4"),
  cvttpd2pi: toPair("x86.f64x2.trunc_i32x4"),
  stmxcsr,
} satisfies Record<string, Lift>;
