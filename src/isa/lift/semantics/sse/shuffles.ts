/**
 * Elements rearranged by an immediate, by a mask, or always the same way. SDM vol. 2: PSHUFD, SHUFPS, PUNPCKLBW,
 * UNPCKLPS, PSHUFB, and INSERTPS.
 */

import type { Value } from "../../../ir/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { immediate, packed, packedControlled, packedUnary, readPacked, shuffleElements, splat } from "./operands.ts";

/** The four 2-bit fields of an immediate. */
const fields = (control: number): readonly number[] => [0, 2, 4, 6].map((at) => (control >> at) & 3);

const pshufd = packedUnary((b, source, control) => shuffleElements(b, 4, source, source, fields(control)));
const pshufw = packedUnary((b, source, control) =>
  shuffleElements(b, 2, source, source, [...fields(control), 4, 5, 6, 7]),
);
const pshufhw = packedUnary((b, source, control) =>
  shuffleElements(b, 2, source, source, [0, 1, 2, 3, ...fields(control).map((field) => field + 4)]),
);
const shufps = packedControlled((b, left, right, control) => {
  const [first, second, third, fourth] = fields(control);
  return shuffleElements(b, 4, left, right, [first!, second!, third! + 4, fourth! + 4]);
});
const shufpd = packedControlled((b, left, right, control) =>
  shuffleElements(b, 8, left, right, [control & 1, 2 + ((control >> 1) & 1)]),
);

/** A mask byte's bit 7 clears; else its low bits choose a byte of the register's own size. */
const pshufb = packed((b, left, mask, form) => {
  const meaningful = b.v128(splat(8, form === "mm" ? 0x87n : 0x8fn));
  return b.op("i8x16.swizzle", left, b.op("v128.and", mask, meaningful));
});

/** Elements of both operands in turn, from their lower or upper halves. */
const unpack = (size: number, half: "low" | "high"): Lift =>
  packed((b, left, right, form) => {
    const count = 16 / size;
    const from = half === "low" ? 0 : form === "mm" ? count / 4 : count / 2;
    const elements = Array.from({ length: count }, (_, i) => from + (i >> 1) + (i & 1 ? count : 0));
    return shuffleElements(b, size, left, right, elements);
  });

/** Imm8: bits 6-7 the source's element, 4-5 where it goes, 0-3 which elements are then cleared. */
const insertps: Lift = (b, { operands: [destination, source, control] }) => {
  const bits = immediate(control);
  const from = source!.kind === "mem" ? 0 : bits >> 6;
  const left = b.readVector(destination!);
  const right = readPacked(b, source!);
  const elements = [0, 1, 2, 3].map((i) => (i === ((bits >> 4) & 3) ? 4 + from : i));
  b.writeVector(destination!, clearElements(b, shuffleElements(b, 4, left, right, elements), bits & 15));
};

function clearElements(b: Builder, value: Value, cleared: number): Value {
  if (cleared === 0) return value;
  const elements = [0, 1, 2, 3].map((i) => ((cleared >> i) & 1 ? 4 : i));
  return shuffleElements(b, 4, value, b.v128(0n), elements);
}

export const shuffleSemantics = {
  pshufd,
  pshufw,
  pshuflw: pshufw,
  pshufhw,
  shufps,
  shufpd,
  pshufb,
  insertps,
  punpcklbw: unpack(1, "low"),
  punpcklwd: unpack(2, "low"),
  punpckldq: unpack(4, "low"),
  punpcklqdq: unpack(8, "low"),
  punpckhbw: unpack(1, "high"),
  punpckhwd: unpack(2, "high"),
  punpckhdq: unpack(4, "high"),
  punpckhqdq: unpack(8, "high"),
  unpcklps: unpack(4, "low"),
  unpcklpd: unpack(8, "low"),
  unpckhps: unpack(4, "high"),
  unpckhpd: unpack(8, "high"),
} satisfies Record<string, Lift>;
