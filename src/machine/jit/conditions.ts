/**
 * Flags and conditions straight from the operands of the flags op that is known to be pending: across blocks what
 * isa/lift/fuse.ts does within one. A cell that is missing is worked out by the runtime. Formulas: isa/ir/flags.ts.
 */
import {
  type ArithmeticFlag,
  type Condition,
  carryShift,
  type FlagsKind,
  overflowShift,
  type Width,
} from "../../isa/ir/index.ts";
import type { Code } from "../../isa/wasm/index.ts";

/** The pending operands, in locals of the width's integer type. */
export interface Pending {
  readonly flags: FlagsKind;
  readonly width: Width;
  readonly left: number;
  readonly right: number;
  readonly result: number;
  /** The local with CF and OF, if they lie beside the code. */
  readonly kind: number | undefined;
}

type Cell = (c: Code, pending: Pending) => void;

const int = (c: Code, width: Width, name: string) => c.op(`${width === 64 ? "i64" : "i32"}.${name}` as "i32.add");
const zeroOf = (c: Code, width: Width) => (width === 64 ? c.i64(0n) : c.i32(0));
const signed = (c: Code, width: Width, local: number) => {
  c.get(local);
  if (width === 8) c.op("i32.extend8_s");
  else if (width === 16) c.op("i32.extend16_s");
};

const unsignedCompare =
  (name: string): Cell =>
  (c, { width, left, right }) => {
    int(c.get(left).get(right), width, name);
  };
const signedCompare =
  (name: string): Cell =>
  (c, { width, left, right }) => {
    signed(c, width, left);
    signed(c, width, right);
    int(c, width, name);
  };
const resultVersusZero =
  (name: string): Cell =>
  (c, { width, result }) => {
    signed(c, width, result);
    zeroOf(c, width);
    int(c, width, name);
  };
const isZero: Cell = (c, { width, result }) => {
  int(c.get(result), width, "eqz");
};
const constant =
  (value: number): Cell =>
  (c) => {
    c.i32(value);
  };
const sumCarry: Cell = (c, { width, left, result }) => {
  int(c.get(result).get(left), width, "lt_u");
};
const keptCarry: Cell = (c, { width, left }) => {
  c.get(left);
  if (width === 64) c.op("i32.wrap_i64");
};

const common = { e: isZero, ne: resultVersusZero("ne"), s: resultVersusZero("lt_s"), ns: resultVersusZero("ge_s") };

/** Condition → formula, for the kinds of flags that conditions commonly follow. */
const cells: Readonly<Partial<Record<FlagsKind, Partial<Record<Condition, Cell>>>>> = {
  sub: {
    ...common,
    b: unsignedCompare("lt_u"), ae: unsignedCompare("ge_u"), be: unsignedCompare("le_u"), a: unsignedCompare("gt_u"),
    e: unsignedCompare("eq"), ne: unsignedCompare("ne"),
    l: signedCompare("lt_s"), ge: signedCompare("ge_s"), le: signedCompare("le_s"), g: signedCompare("gt_s"),
  },
  logic: {
    ...common,
    o: constant(0), no: constant(1), b: constant(0), ae: constant(1), be: common.e, a: common.ne,
    l: common.s, ge: common.ns, le: resultVersusZero("le_s"), g: resultVersusZero("gt_s"),
  },
  add: { ...common, b: sumCarry },
  inc: { ...common, b: keptCarry },
  dec: { ...common, b: keptCarry },
  adc: common,
  sbb: common,
  shl: common,
  shr: common,
  sar: common,
}; // biome-ignore format: one row per kind

export const conditionOfFlag: Readonly<Partial<Record<ArithmeticFlag, Condition>>> = {
  c: "b",
  o: "o",
  z: "e",
  s: "s",
  p: "p",
};

const besideCode =
  (shift: number, negated: boolean): Cell =>
  (c, { kind }) => {
    c.get(kind!).i32(shift).op("i32.shr_u").i32(1).op("i32.and");
    if (negated) c.op("i32.eqz");
  };

/** Conditions when CF and OF lie beside the code: those that look at neither are as ever. */
const notedCells: Partial<Record<Condition, Cell>> = {
  b: besideCode(carryShift, false),
  ae: besideCode(carryShift, true),
  o: besideCode(overflowShift, false),
  no: besideCode(overflowShift, true),
};
const looksAtNeither: ReadonlySet<Condition> = new Set(["e", "ne", "s", "ns"] as const);

function cellOf({ flags, kind }: Pending, condition: Condition): Cell | undefined {
  return kind === undefined || looksAtNeither.has(condition) ? cells[flags]?.[condition] : notedCells[condition];
}

/** Leaves i32 0 or 1; false when the runtime has to be asked. */
export function writeCondition(c: Code, pending: Pending, condition: Condition | undefined): boolean {
  const cell = condition && cellOf(pending, condition);
  if (!cell) return false;
  cell(c, pending);
  return true;
}
