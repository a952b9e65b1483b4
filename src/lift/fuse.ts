/**
 * Conditions computed straight from the operands of the flags they follow: `cmp a, b; jb` is a <u b. A cell that is
 * undefined falls back to evaluating the noted flags. Identities from SDM vol. 1 appendix B with the flag formulas of
 * ir/flags.ts; the CPU harness checks every cell.
 */
import type { Condition, FlagsKind, Value, Width } from "../ir/index.ts";
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

type Row = Partial<Record<Condition, Cell>>;

/** The positive half of each row; the negated conditions follow. */
const rows: Partial<Record<FlagsKind, Row>> = {
  sub: {
    b: compare("lt_u"), ae: compare("ge_u"), be: compare("le_u"), a: compare("gt_u"),
    e: compare("eq"), ne: compare("ne"), s: sign,
    l: compare("lt_s", true), ge: compare("ge_s", true), le: compare("le_s", true), g: compare("gt_s", true),
  },
  logic: {
    o: never, no: always, b: never, ae: always, e: zero, be: zero, s: sign, l: sign,
    le: resultVersusZero("le_s"), g: resultVersusZero("gt_s"),
  },
  add: {
    b: (b, { width, left, result }) => b.int(width, "lt_u", result, left), e: zero, s: sign,
  },
  inc: { b: (b, { left, width }) => (width === 64 ? b.op("i32.wrap_i64", left) : left), e: zero, s: sign },
  dec: { b: (b, { left, width }) => (width === 64 ? b.op("i32.wrap_i64", left) : left), e: zero, s: sign },
  adc: { e: zero, s: sign },
  sbb: { e: zero, s: sign },
  shl: { e: zero, s: sign },
  shr: { e: zero, s: sign },
  sar: { e: zero, s: sign },
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
