/**
 * Operands of vector instructions. Packed integer instructions come in two forms: on XMM registers and on MMX
 * registers, whose 64 bits are computed on in the lower half of a vector. Always:
 * - Memory operands of 16 bytes are aligned unless an instruction says otherwise; narrower ones need not be.
 * - MMX registers are read and written by helper calls, because they alias the x87 registers in memory.
 */
import { assert } from "../../../../base/index.ts";
import type { Op, Value } from "../../../ir/index.ts";
import type { NumericName } from "../../../wasm/index.ts";
import type { Instruction, Operand } from "../../../x86/index.ts";
import type { Builder, Lift } from "../../builder.ts";

export type Form = "xmm" | "mm";

export const formOf = (instruction: Instruction): Form =>
  instruction.operands.some((operand) => operand.kind === "mm") ? "mm" : "xmm";

export const immediate = (operand: Operand | undefined): number => {
  assert(operand?.kind === "imm", "lift: an immediate operand");
  return Number(operand.value & 0xffn);
};

// ── Integers in the lowest lane ───────────────────────────────────────────────────────────────────────────────────

const pureOf = (b: Builder, value: Value): (Op & { kind: "pure" }) | undefined => {
  const op = b.ops[value] as Op;
  return op.kind === "pure" ? op : undefined;
};

/** What was last put into lane 0, if the vector was made that way. */
function replacedLane(b: Builder, vector: Value, name: NumericName): Value | undefined {
  const op = pureOf(b, vector);
  return op?.op === name && op.lane === 0 ? op.args[1] : undefined;
}

export type Low = "i32" | "i64" | "f32" | "f64";
const lanes = { i32: "i32x4", i64: "i64x2", f32: "f32x4", f64: "f64x2" } as const;
const twin = { i32: "f32", i64: "f64", f32: "i32", f64: "i64" } as const;

/** Lane 0 as a number of the given type. */
export function low(b: Builder, type: Low, vector: Value): Value {
  const same = replacedLane(b, vector, `${lanes[type]}.replace_lane`);
  if (same !== undefined) return same;
  const bits = replacedLane(b, vector, `${lanes[twin[type]]}.replace_lane`);
  if (bits !== undefined) return b.op(`${type}.reinterpret_${twin[type]}` as NumericName, bits);
  return b.lane(`${lanes[type]}.extract_lane`, 0, vector);
}

/** `vector` with lane 0 replaced. */
export function withLow(b: Builder, type: Low, vector: Value, value: Value): Value {
  const op = pureOf(b, vector);
  const name: NumericName = `${lanes[type]}.replace_lane`;
  const overwritten = op?.op === name && op.lane === 0 ? op.args[0]! : vector;
  return b.lane(name, 0, overwritten, value);
}

/** The number in lane 0, zero in the others. */
export const onlyLow = (b: Builder, type: Low, value: Value): Value => withLow(b, type, b.v128(0n), value);

// ── Whole operands ────────────────────────────────────────────────────────────────────────────────────────────────

/** Every MMX instruction first reports a pending x87 exception. */
export function beginMmx(b: Builder): void {
  b.trapIf(b.op("x86.x87_pending"), "float");
}
export const readMmx = (b: Builder, index: number): Value => b.call("mmx_read", b.i32(index));
export function writeMmx(b: Builder, index: number, value: Value): void {
  b.call("mmx_write", b.i32(index), value);
}

/** A memory operand narrower than a vector, in its lower part. */
export function loadLow(b: Builder, operand: Extract<Operand, { kind: "mem" }>): Value {
  const value = b.read(operand);
  return onlyLow(b, operand.size === 8 ? "i64" : "i32", value);
}

export function readPacked(b: Builder, operand: Operand): Value {
  if (operand.kind === "mm") return onlyLow(b, "i64", readMmx(b, operand.index));
  if (operand.kind === "mem" && operand.size < 16) return loadLow(b, operand);
  return b.readVector(operand);
}

export function writePacked(b: Builder, operand: Operand, value: Value): void {
  if (operand.kind === "mm") writeMmx(b, operand.index, low(b, "i64", value));
  else b.writeVector(operand, value);
}

export type Compute = (b: Builder, left: Value, right: Value, form: Form) => Value;

/** dst ← compute(dst, src), on XMM or MMX registers. */
export const packed =
  (compute: Compute): Lift =>
  (b, instruction) => {
    const [destination, source] = instruction.operands;
    const form = formOf(instruction);
    if (form === "mm") beginMmx(b);
    const right = readPacked(b, source!);
    writePacked(b, destination!, compute(b, readPacked(b, destination!), right, form));
  };

/** dst ← compute(src). */
export const packedUnary =
  (compute: (b: Builder, source: Value, immediate: number) => Value): Lift =>
  (b, instruction) => {
    const [destination, source, control] = instruction.operands;
    if (formOf(instruction) === "mm") beginMmx(b);
    writePacked(b, destination!, compute(b, readPacked(b, source!), control ? immediate(control) : 0));
  };

/** dst ← compute(dst, src, imm8). */
export const packedControlled =
  (compute: (b: Builder, left: Value, right: Value, control: number, form: Form) => Value): Lift =>
  (b, instruction) => {
    const [destination, source, control] = instruction.operands;
    const form = formOf(instruction);
    if (form === "mm") beginMmx(b);
    const right = readPacked(b, source!);
    writePacked(b, destination!, compute(b, readPacked(b, destination!), right, immediate(control), form));
  };

// ── Shuffles by wider elements ────────────────────────────────────────────────────────────────────────────────────

/** The sixteen byte lanes for elements of `size` bytes; elements of the right-hand vector follow the left's. */
export const elementLanes = (size: number, elements: readonly number[]): readonly number[] =>
  elements.flatMap((element) => Array.from({ length: size }, (_, byte) => element * size + byte));

export const shuffleElements = (
  b: Builder,
  size: number,
  left: Value,
  right: Value,
  elements: readonly number[],
): Value => b.shuffle(left, right, elementLanes(size, elements));

/** Both lower halves side by side: what MMX instructions that narrow or pair up work on. */
export const joinHalves = (b: Builder, left: Value, right: Value): Value => shuffleElements(b, 8, left, right, [0, 2]);

/** The same bits in every lane of `bits` bits. */
export const splat = (bits: number, value: bigint): bigint => {
  let all = 0n;
  for (let at = 0; at < 128; at += bits) all |= value << BigInt(at);
  return all;
};
