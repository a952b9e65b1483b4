/**
 * Lazy flags. An instruction that sets all arithmetic flags only notes its operands and result; CF PF AF ZF SF OF are
 * worked out when somebody asks. Operands and results narrower than 64 bits are kept zero-extended. Formulas: SDM
 * vol. 1 §3.4.3 and the instructions' own pages; carry of adc/sbb from the majority of the sign bits.
 */

/** `raw`: `left` holds the flags themselves, in their EFLAGS positions. */
export const flagsKinds = [
  "raw",
  "add",
  "sub",
  "logic",
  "inc",
  "dec",
  "adc",
  "sbb",
  "shl",
  "shr",
  "sar",
  "imul",
] as const;
export type FlagsKind = (typeof flagsKinds)[number];
export type Width = 8 | 16 | 32 | 64;
export const widths: readonly Width[] = [8, 16, 32, 64];

/**
 * What `left`, `right` and `result` mean:
 * - add adc sub sbb: the operands and the result;            - logic: only the result;
 * - imul: the factors and the product, all `width` bits wide; SF ZF AF PF are clear;
 * - inc dec: `left` is the carry flag that stays (0 or 1);    - shl shr sar: value, count (1 … width-1), result.
 */
export const flagsCode = (kind: FlagsKind, width: Width): number =>
  flagsKinds.indexOf(kind) * 4 + widths.indexOf(width);

/**
 * An instruction that changes CF and OF alone leaves the operands as they are and puts the two beside the code: bit 6
 * says so, bit 7 is CF, bit 8 is OF. A code without bit 6 has neither.
 */
export const codeMask = 0x3f;
export const carryNoted = 0x40;
export const carryShift = 7;
export const overflowShift = 8;

/** EFLAGS bit positions. */
export const eflagsBit = { c: 0, p: 2, a: 4, z: 6, s: 7, t: 8, i: 9, d: 10, o: 11, ac: 18, id: 21 } as const;
export type ArithmeticFlag = "c" | "p" | "a" | "z" | "s" | "o";
export const arithmeticFlags: readonly ArithmeticFlag[] = ["c", "p", "a", "z", "s", "o"];
/** How the runtime is asked for a flag: its index, or one past the last for all six in their EFLAGS positions. */
export const flagQuestion = (flag: ArithmeticFlag | "all"): number =>
  flag === "all" ? arithmeticFlags.length : arithmeticFlags.indexOf(flag);
/** CF PF AF ZF SF OF as an EFLAGS mask. */
export const arithmeticMask = 0x8d5;

/** The sixteen conditions of Jcc, SETcc and CMOVcc, in encoding order: odd ones negate the one before. */
export const conditions = [
  "o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g",
] as const; // biome-ignore format: encoding order
export type Condition = (typeof conditions)[number];
