/**
 * Where results may differ from one processor to the next, or from this machine on purpose. Everything else is compared
 * bit for bit.
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
  /** Differing bits of eight aligned bytes of memory that count as equal. */
  readonly memory?: bigint;
  /** Whether a fault counts as equal wherever it is: of two operands that cannot be read, either may be told. */
  readonly anyFault?: true;
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

/** 80-bit numbers at most one unit in the last place apart. */
function nextToEachOther(native: DataView, machine: DataView): boolean {
  const whole = (view: DataView) => (BigInt(view.getUint16(8, true)) << 64n) | view.getBigUint64(0, true);
  const distance = whole(native) - whole(machine);
  const overExponent = (1n << 64n) - (1n << 63n) + 1n;
  return [1n, -1n, overExponent, -overExponent].includes(distance);
}

const statusC1 = 0x200;
const statusPrecision = 0x20;

const tolerances: readonly Tolerance[] = [
  {
    why: "approximations: only the error is specified, below 1.5 × 2^-12",
    mnemonics: /^(rcp|rsqrt)[sp]s$/,
    xmm: nearSingles(3 * 2 ** -12),
  },
  {
    why: "transcendental functions: specified to one unit in the last place, rounding direction with them",
    mnemonics: /^(f2xm1|fyl2xp?1?|fptan|fpatan|fsin|fcos|fsincos)$/,
    st: nextToEachOther,
    fsw: statusC1 | statusPrecision,
  },
  {
    why: "MXCSR_MASK: AMD processors have a mode for misaligned operands, bit 17",
    mnemonics: /^fxsave/,
    memory: 1n << 49n,
  },
  {
    why: "two operands that cannot be read: AMD processors tell the first of CMPS, Intel's the second",
    mnemonics: /^cmps[bwdq]$/,
    anyFault: true,
  },
];

/** Whether eight bytes of memory count as equal under the tolerances. */
export const toleratedMemory = (allowed: readonly Tolerance[], native: Uint8Array, machine: Uint8Array): boolean => {
  const difference = viewOf(native).getBigUint64(0, true) ^ viewOf(machine).getBigUint64(0, true);
  return allowed.some(({ memory }) => memory === difference);
};

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
