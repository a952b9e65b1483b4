/**
 * SSE floating-point arithmetic. The macros give x86's exact results; each instruction then asks whether one of them
 * met an unmasked exception, before anything is written. SDM vol. 2: ADDPS … XORPS' neighbours, HADDPS, DPPS, ROUNDPS.
 */
import type { MacroName, Value } from "../../../ir/index.ts";
import type { Operand } from "../../../x86/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { immediate, low, shuffleElements, withLow } from "./operands.ts";

export type Scalar = "f32" | "f64";
export type Vector = "f32x4" | "f64x2";

export function readScalar(b: Builder, type: Scalar, operand: Operand): Value {
  if (operand.kind === "xmm") return low(b, type, b.readVector(operand));
  const bits = b.read(operand);
  return type === "f32" ? b.op("f32.reinterpret_i32", bits) : b.op("f64.reinterpret_i64", bits);
}

/** Replaces the lowest element. */
export function writeScalar(b: Builder, type: Scalar, operand: Operand, value: Value): void {
  b.writeChecked(operand, withLow(b, type, b.readVector(operand), value));
}

const scalar =
  (type: Scalar, operation: "add" | "sub" | "mul" | "div" | "min" | "max"): Lift =>
  (b, { operands: [destination, source] }) => {
    const right = readScalar(b, type, source!);
    const left = readScalar(b, type, destination!);
    writeScalar(b, type, destination!, b.op(`x86.${type}.${operation}`, left, right));
  };

const packed =
  (name: MacroName): Lift =>
  (b, { operands: [destination, source] }) => {
    const right = b.readVector(source!);
    b.writeChecked(destination!, b.op(name, b.readVector(destination!), right));
  };

const scalarRoot =
  (type: Scalar): Lift =>
  (b, { operands: [destination, source] }) =>
    writeScalar(b, type, destination!, b.op(`x86.${type}.sqrt`, readScalar(b, type, source!)));
const packedRoot =
  (type: Vector): Lift =>
  (b, { operands: [destination, source] }) =>
    b.writeChecked(destination!, b.op(`x86.${type}.sqrt`, b.readVector(source!)));

const scalarRound =
  (type: Scalar): Lift =>
  (b, { operands: [destination, source, control] }) => {
    const value = readScalar(b, type, source!);
    writeScalar(b, type, destination!, b.op(`x86.${type}.round`, value, b.i32(immediate(control) & 15)));
  };
const packedRound =
  (type: Vector): Lift =>
  (b, { operands: [destination, source, control] }) => {
    const value = b.readVector(source!);
    b.writeChecked(destination!, b.op(`x86.${type}.round`, value, b.i32(immediate(control) & 15)));
  };

/** Approximations raise nothing. */
const scalarApproximation =
  (name: "x86.f32.reciprocal" | "x86.f32.reciprocal_sqrt"): Lift =>
  (b, { operands: [destination, source] }) => {
    const value = b.op(name, readScalar(b, "f32", source!));
    b.writeVector(destination!, withLow(b, "f32", b.readVector(destination!), value));
  };
const packedApproximation =
  (name: "x86.f32x4.reciprocal" | "x86.f32x4.reciprocal_sqrt"): Lift =>
  (b, { operands: [destination, source] }) =>
    b.writeVector(destination!, b.op(name, b.readVector(source!)));

/** Neighbours combined: the destination's pairs below the source's. */
const pairs =
  (type: Vector, operation: "add" | "sub"): Lift =>
  (b, { operands: [destination, source] }) => {
    const right = b.readVector(source!);
    const left = b.readVector(destination!);
    const size = type === "f32x4" ? 4 : 8;
    const evens = type === "f32x4" ? [0, 2, 4, 6] : [0, 2];
    const first = shuffleElements(b, size, left, right, evens);
    const second = shuffleElements(
      b,
      size,
      left,
      right,
      evens.map((element) => element + 1),
    );
    b.writeChecked(destination!, b.op(`x86.${type}.${operation}`, first, second));
  };

/** Elements whose bit of `chosen` is clear become +0. */
function keepElements(b: Builder, size: 4 | 8, value: Value, chosen: number): Value {
  const count = 16 / size;
  const all = Array.from({ length: count }, (_, i) => i);
  if (all.every((i) => (chosen >> i) & 1)) return value;
  return shuffleElements(
    b,
    size,
    value,
    b.v128(0n),
    all.map((i) => ((chosen >> i) & 1 ? i : count)),
  );
}

/** Imm8: bits 4-7 which products count, bits 0-3 which elements receive the sum. The sum is (0+1)+(2+3). */
const dpps: Lift = (b, { operands: [destination, source, control] }) => {
  const bits = immediate(control);
  const right = keepElements(b, 4, b.readVector(source!), bits >> 4);
  const products = b.op("x86.f32x4.mul", keepElements(b, 4, b.readVector(destination!), bits >> 4), right);
  const zero = b.v128(0n);
  const evens = shuffleElements(b, 4, products, zero, [0, 2, 4, 4]);
  const sums = b.op("x86.f32x4.add", evens, shuffleElements(b, 4, products, zero, [1, 3, 4, 4]));
  const first = shuffleElements(b, 4, sums, zero, [0, 4, 4, 4]);
  const total = b.op("x86.f32x4.add", first, shuffleElements(b, 4, sums, zero, [1, 4, 4, 4]));
  const spread = [0, 1, 2, 3].map((i) => ((bits >> i) & 1 ? 0 : 4));
  b.writeChecked(destination!, shuffleElements(b, 4, total, zero, spread));
};

const dppd: Lift = (b, { operands: [destination, source, control] }) => {
  const bits = immediate(control);
  const right = keepElements(b, 8, b.readVector(source!), bits >> 4);
  const products = b.op("x86.f64x2.mul", keepElements(b, 8, b.readVector(destination!), bits >> 4), right);
  const zero = b.v128(0n);
  const first = shuffleElements(b, 8, products, zero, [0, 2]);
  const total = b.op("x86.f64x2.add", first, shuffleElements(b, 8, products, zero, [1, 2]));
  b.writeChecked(
    destination!,
    shuffleElements(
      b,
      8,
      total,
      zero,
      [0, 1].map((i) => ((bits >> i) & 1 ? 0 : 2)),
    ),
  );
};

// biome-ignore format: columns stay aligned
export const floatSemantics = {
  addss: scalar("f32", "add"), addsd: scalar("f64", "add"), addps: packed("x86.f32x4.add"), addpd: packed("x86.f64x2.add"),
  subss: scalar("f32", "sub"), subsd: scalar("f64", "sub"), subps: packed("x86.f32x4.sub"), subpd: packed("x86.f64x2.sub"),
  mulss: scalar("f32", "mul"), mulsd: scalar("f64", "mul"), mulps: packed("x86.f32x4.mul"), mulpd: packed("x86.f64x2.mul"),
  divss: scalar("f32", "div"), divsd: scalar("f64", "div"), divps: packed("x86.f32x4.div"), divpd: packed("x86.f64x2.div"),
  minss: scalar("f32", "min"), minsd: scalar("f64", "min"), minps: packed("x86.f32x4.min"), minpd: packed("x86.f64x2.min"),
  maxss: scalar("f32", "max"), maxsd: scalar("f64", "max"), maxps: packed("x86.f32x4.max"), maxpd: packed("x86.f64x2.max"),
  sqrtss: scalarRoot("f32"),   sqrtsd: scalarRoot("f64"),   sqrtps: packedRoot("f32x4"),    sqrtpd: packedRoot("f64x2"),
  roundss: scalarRound("f32"), roundsd: scalarRound("f64"), roundps: packedRound("f32x4"),  roundpd: packedRound("f64x2"),
  addsubps: packed("x86.f32x4.addsub"), addsubpd: packed("x86.f64x2.addsub"),
  haddps: pairs("f32x4", "add"),        haddpd: pairs("f64x2", "add"),
  hsubps: pairs("f32x4", "sub"),        hsubpd: pairs("f64x2", "sub"),
  dpps, dppd,
  rcpss: scalarApproximation("x86.f32.reciprocal"),        rcpps: packedApproximation("x86.f32x4.reciprocal"),
  rsqrtss: scalarApproximation("x86.f32.reciprocal_sqrt"), rsqrtps: packedApproximation("x86.f32x4.reciprocal_sqrt"),
} satisfies Record<string, Lift>;
