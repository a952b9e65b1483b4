/**
 * Conditions computed straight from the operands of the flags they follow: `cmp a, b; jb` is a <u b. A cell that is
 * undefined falls back to evaluating the noted flags. Identities from SDM vol. 1 appendix B with the flag formulas of
 * ir/flags.ts; the CPU harness checks every cell.
 */
import { type Condition, eflagsBit, type FlagsKind, type Value, type Width } from "../ir/index.ts";
import type { Builder } from "./builder.ts";

export interface PendingFlags {
  readonly flags: FlagsKind;
  readonly width: Width;
  readonly left: Value;
  readonly right: Value;
  readonly result: Value;
}

type Cell = (b: Builder, pending: PendingFlags) => Value;

const not = (b: Builder, value: Value) => b.op("i32.eqz", value);
const zero: Cell = (b, { width, result }) => b.int(width, "eqz", result);
const sign: Cell = (b, { width, result }) => b.signBit(width, result);
const parity: Cell = (b, { width, result }) => b.parity(width, result);
const never: Cell = (b) => b.i32(0);
const always: Cell = (b) => b.i32(1);

/** A comparison of the two operands, unsigned as they are, signed after sign extension. */
const compare =
  (name: string, signed = false): Cell =>
  (b, { width, left, right }) =>
    signed ? b.int(width, name, b.signed(width, left), b.signed(width, right)) : b.int(width, name, left, right);

/** A signed comparison of the result with zero. */
const resultVersusZero =
  (name: string): Cell =>
  (b, { width, result }) =>
    b.int(width, name, b.signed(width, result), b.constant(width, 0));

/** Raw flags: one of them, or whether any of several is set. */
const rawBit =
  (bit: number): Cell =>
  (b, { left }) =>
    b.op("i32.and", b.op("i32.shr_u", left, b.i32(bit)), b.i32(1));
const rawAny =
  (mask: number): Cell =>
  (b, { left }) =>
    b.op("i32.ne", b.op("i32.and", left, b.i32(mask)), b.i32(0));
const rawSignDiffers: Cell = (b, pending) =>
  b.op("i32.xor", rawBit(eflagsBit.s)(b, pending), rawBit(eflagsBit.o)(b, pending));

/** A flag that was noted at its EFLAGS position. */
const noted =
  (position: number): Cell =>
  (b, { left }) =>
    b.op("i32.and", b.op("i32.shr_u", left, b.i32(position)), b.i32(1));

const halfCarry: Cell = (b, { width, left, right, result }) => {
  const differing = b.int(width, "xor", b.int(width, "xor", left, right), result);
  const low = width === 64 ? b.op("i32.wrap_i64", differing) : differing;
  return b.op("i32.and", b.op("i32.shr_u", low, b.i32(eflagsBit.a)), b.i32(1));
};
const lowNibbleIs =
  (value: number): Cell =>
  (b, { width, result }) => {
    const low = width === 64 ? b.op("i32.wrap_i64", result) : result;
    return b.op("i32.eq", b.op("i32.and", low, b.i32(15)), b.i32(value));
  };

/** AF, which no condition asks for, by kind; the others leave it clear. */
const adjust: Partial<Record<FlagsKind, Cell>> = {
  add: halfCarry,
  sub: halfCarry,
  adc: halfCarry,
  sbb: halfCarry,
  inc: lowNibbleIs(0),
  dec: lowNibbleIs(15),
  mixed: noted(eflagsBit.a),
  raw: noted(eflagsBit.a),
};
export const fuseAdjust = (b: Builder, pending: PendingFlags): Value => (adjust[pending.flags] ?? never)(b, pending);

type Row = Partial<Record<Condition, Cell>>;

/** The positive half of each row; the negated conditions follow. */
const rows: Partial<Record<FlagsKind, Row>> = {
  raw: {
    o: rawBit(eflagsBit.o), b: rawBit(eflagsBit.c), e: rawBit(eflagsBit.z), s: rawBit(eflagsBit.s),
    p: rawBit(eflagsBit.p), be: rawAny(0x41), l: rawSignDiffers,
    le: (b, pending) => b.op("i32.or", rawBit(eflagsBit.z)(b, pending), rawSignDiffers(b, pending)),
  },
  sub: {
    b: compare("lt_u"), ae: compare("ge_u"), be: compare("le_u"), a: compare("gt_u"),
    e: compare("eq"), ne: compare("ne"), s: sign, p: parity,
    l: compare("lt_s", true), ge: compare("ge_s", true), le: compare("le_s", true), g: compare("gt_s", true),
  },
  logic: {
    o: never, no: always, b: never, ae: always, e: zero, be: zero, s: sign, l: sign, p: parity,
    le: resultVersusZero("le_s"), g: resultVersusZero("gt_s"),
  },
  add: {
    b: (b, { width, left, result }) => b.int(width, "lt_u", result, left), e: zero, s: sign, p: parity,
  },
  inc: { b: (b, { left, width }) => (width === 64 ? b.op("i32.wrap_i64", left) : left), e: zero, s: sign, p: parity },
  dec: { b: (b, { left, width }) => (width === 64 ? b.op("i32.wrap_i64", left) : left), e: zero, s: sign, p: parity },
  adc: { e: zero, s: sign, p: parity },
  sbb: { e: zero, s: sign, p: parity },
  shl: { e: zero, s: sign, p: parity },
  shr: { e: zero, s: sign, p: parity },
  sar: { e: zero, s: sign, p: parity },
  mixed: { o: noted(eflagsBit.o), b: noted(eflagsBit.c), e: zero, s: sign, p: parity },
}; // biome-ignore format: one row per kind

const negated: Partial<Record<Condition, Condition>> = {
  no: "o",
  ae: "b",
  ne: "e",
  a: "be",
  ns: "s",
  np: "p",
  ge: "l",
  g: "le",
};

export function fuseCondition(b: Builder, pending: PendingFlags, condition: Condition | undefined): Value | undefined {
  if (condition === undefined) return undefined;
  const row = rows[pending.flags];
  const cell = row?.[condition];
  if (cell) return cell(b, pending);
  const positive = negated[condition];
  const opposite = positive && row?.[positive];
  return opposite ? not(b, opposite(b, pending)) : undefined;
}
