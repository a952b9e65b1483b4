/**
 * Conditions computed straight from the operands of the flags they follow: `cmp a, b; jb` is a <u b. A cell that is
 * undefined falls back to evaluating the noted flags. Identities from SDM vol. 1 appendix B with the flag formulas of
 * isa/ir/flags.ts; the CPU harness checks every cell.
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

/** The full product differs from the sign-extended result. */
const productOverflow: Cell = (b, { width, left, right, result }) => {
  if (width === 64) return b.op("i64.ne", b.op("x86.mul_high_s", left, right), b.op("i64.shr_s", result, b.i64(63)));
  const wide = (value: Value) => b.extend(value, width, 64, true);
  return b.op("i64.ne", b.op("i64.mul", wide(left), wide(right)), wide(result));
};

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
  imul: { o: productOverflow, b: productOverflow, e: never, s: never, p: never },
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

/** CF and OF as a later instruction left them that changed nothing else; conditions by whether they look at either. */
export interface NotedCarry {
  readonly carry: Value;
  readonly overflow: Value;
}
const looksAtNeither: ReadonlySet<Condition> = new Set(["e", "ne", "s", "ns", "p", "np"] as const);

export function fuseNoted(b: Builder, { carry, overflow }: NotedCarry, condition: Condition): Value | undefined {
  const cells: Partial<Record<Condition, () => Value>> = {
    b: () => carry,
    ae: () => not(b, carry),
    o: () => overflow,
    no: () => not(b, overflow),
  };
  return cells[condition]?.();
}

export function fuseCondition(
  b: Builder,
  pending: PendingFlags | undefined,
  noted: NotedCarry | undefined,
  condition: Condition | undefined,
): Value | undefined {
  if (condition === undefined) return undefined;
  if (noted && !looksAtNeither.has(condition)) return fuseNoted(b, noted, condition);
  return pending && fusePending(b, pending, condition);
}

function fusePending(b: Builder, pending: PendingFlags, condition: Condition): Value | undefined {
  const row = rows[pending.flags];
  const cell = row?.[condition];
  if (cell) return cell(b, pending);
  const positive = negated[condition];
  const opposite = positive && row?.[positive];
  return opposite ? not(b, opposite(b, pending)) : undefined;
}
