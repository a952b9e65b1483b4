/**
 * Where results are only specified within bounds. Everything else is compared bit for bit, with what Intel's or what AMD's
 * processors answer where the two differ (processors.ts).
 */
import type { TestBlock } from "./blocks.ts";
import { fxLayout } from "./records.ts";

export interface Tolerance {
  readonly why: string;
  readonly mnemonics: RegExp;
  /** Bits of the x87 status word that are not compared. */
  readonly fsw?: number;
  /** Whether two different register contents count as equal; bytes as FXSAVE has them. */
  readonly xmm?: (native: DataView, machine: DataView) => boolean;
  readonly st?: (native: DataView, machine: DataView) => boolean;
}

/** Single-precision lanes within a relative error; specials must be the same. */
const nearSingles =
  (relative: number) =>
  (native: DataView, machine: DataView): boolean =>
    [0, 4, 8, 12].every((at) => {
      if (native.getUint32(at, true) === machine.getUint32(at, true)) return true;
      const [left, right] = [native.getFloat32(at, true), machine.getFloat32(at, true)];
      return Math.abs(left - right) <= Math.abs(left) * relative;
    });

const fraction = (1n << 63n) - 1n;

/** Neighbouring 80-bit numbers have neighbouring ordinals, across powers of two and into the denormals. */
export function ordinal(significand: bigint, signExponent: number): bigint {
  const exponent = BigInt(signExponent & 0x7fff);
  const magnitude = (exponent << 63n) + (significand & fraction) + (exponent === 0n ? significand & ~fraction : 0n);
  return signExponent & 0x8000 ? -magnitude : magnitude;
}

/** 80-bit numbers at most one unit in the last place apart. */
function nextToEachOther(native: DataView, machine: DataView): boolean {
  const [left, right] = [native, machine].map((view) => ordinal(view.getBigUint64(0, true), view.getUint16(8, true)));
  return left! - right! <= 1n && right! - left! <= 1n;
}

const statusC1 = 0x200;
const statusPrecision = 0x20;

const tolerances: readonly Tolerance[] = [
  {
    why: "approximations: only the error is specified, below 1.5 × 2^-12",
    mnemonics: /^v?(rcp|rsqrt)[sp]s$/,
    xmm: nearSingles(3 * 2 ** -12),
  },
  {
    why: "transcendental functions: specified to one unit in the last place, rounding direction with them",
    mnemonics: /^(f2xm1|fyl2xp?1?|fptan|fpatan|fsin|fcos|fsincos)$/,
    st: nextToEachOther,
    fsw: statusC1 | statusPrecision,
  },
];

/** All that applies to a block. */
export const tolerancesOf = (block: TestBlock): readonly Tolerance[] =>
  tolerances.filter(({ mnemonics }) => block.instructions.some(({ form }) => mnemonics.test(form.mnemonic)));

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Whether two contents of a FXSAVE field at `at` count as equal under the tolerances. */
export function tolerated(allowed: readonly Tolerance[], at: number, native: Uint8Array, machine: Uint8Array): boolean {
  const [left, right] = [viewOf(native), viewOf(machine)];
  const masked = allowed.reduce((mask, { fsw = 0 }) => mask | fsw, 0);
  if (at === fxLayout.fsw) return ((left.getUint16(0, true) ^ right.getUint16(0, true)) & ~masked) === 0;
  if (at >= fxLayout.xmm) return allowed.some(({ xmm }) => xmm?.(left, right));
  return at >= fxLayout.st && allowed.some(({ st }) => st?.(left, right));
}
