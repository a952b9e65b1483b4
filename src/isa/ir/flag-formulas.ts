/**
 * The arithmetic flags out of what was noted, by numeric operations over any algebra: SDM vol. 1 §3.4.3 and the pages of the
 * instructions. machine/runtime/flags.ts has its own formulas in WebAssembly; test/ir/evaluate.test.ts compares the two.
 */
import type { NumericName } from "../wasm/index.ts";
import type { Algebra, NotedFlags } from "./domain.ts";
import {
  type ArithmeticFlag,
  arithmeticFlags,
  type Condition,
  conditions,
  eflagsBit,
  type FlagsKind,
} from "./flags.ts";

/** Noted flags with their operands as i64, and operations on those. */
class Wide<V> {
  readonly algebra: Algebra<V>;
  readonly width: number;
  readonly left: V;
  readonly right: V;
  readonly result: V;

  constructor(algebra: Algebra<V>, { width, left, right, result }: NotedFlags<V>) {
    this.algebra = algebra;
    this.width = width;
    const wide = (value: V) => (width === 64 ? value : this.op("i64.extend_i32_u", value));
    [this.left, this.right, this.result] = [wide(left), wide(right), wide(result)];
  }

  op(name: NumericName, ...args: V[]): V {
    return this.algebra.numeric(name, args, undefined);
  }
  i64(value: number | bigint): V {
    return this.algebra.constant("i64", BigInt.asIntN(64, BigInt(value)));
  }
  and(left: V, right: V): V {
    return this.op("i64.and", left, right);
  }
  or(left: V, right: V): V {
    return this.op("i64.or", left, right);
  }
  xor(left: V, right: V): V {
    return this.op("i64.xor", left, right);
  }
  not(value: V): V {
    return this.xor(value, this.i64(-1));
  }
  /** One bit of a value, as i32. */
  bit(value: V, position: V): V {
    return this.op("i32.wrap_i64", this.and(this.op("i64.shr_u", value, position), this.i64(1)));
  }
  /** The sign of a value of the width. */
  top(value: V): V {
    return this.bit(value, this.i64(this.width - 1));
  }
  equals(value: V, constant: bigint): V {
    return this.op("i64.eq", value, this.i64(constant));
  }
  signed(value: V): V {
    const distance = this.i64(64 - this.width);
    return this.op("i64.shr_s", this.op("i64.shl", value, distance), distance);
  }
}

type Formula = <V>(w: Wide<V>) => V;
type Row = Readonly<Record<ArithmeticFlag, Formula>>;

const clear: Formula = (w) => w.algebra.constant("i32", 0n);
const kept: Formula = (w) => w.op("i32.wrap_i64", w.left);
const raw =
  (flag: ArithmeticFlag): Formula =>
  (w) =>
    w.bit(w.left, w.i64(eflagsBit[flag]));

/** Out of the top bit of a sum, and into that of a difference: the majority of what came together there. */
const carryOut: Formula = (w) => w.top(w.or(w.and(w.left, w.right), w.and(w.or(w.left, w.right), w.not(w.result))));
const borrowIn: Formula = (w) =>
  w.top(w.or(w.and(w.not(w.left), w.right), w.and(w.or(w.not(w.left), w.right), w.result)));
const sumOverflow: Formula = (w) => w.top(w.and(w.xor(w.left, w.result), w.xor(w.right, w.result)));
const differenceOverflow: Formula = (w) => w.top(w.and(w.xor(w.left, w.right), w.xor(w.left, w.result)));
const fourthCarry: Formula = (w) => w.bit(w.xor(w.xor(w.left, w.right), w.result), w.i64(4));
const lowNibble =
  (value: bigint): Formula =>
  (w) =>
    w.equals(w.and(w.result, w.i64(15)), value);
/** The result of INC is the least number, that of DEC the greatest. */
const wrapped =
  (less: bigint): Formula =>
  (w) =>
    w.equals(w.result, BigInt.asIntN(64, (1n << BigInt(w.width - 1)) - less));
const lastOutLeft: Formula = (w) => w.bit(w.left, w.op("i64.sub", w.i64(w.width), w.right));
const lastOutRight: Formula = (w) => w.bit(w.left, w.op("i64.sub", w.right, w.i64(1)));
const shiftedSign: Formula = (w) => w.op("i32.xor", w.top(w.result), lastOutLeft(w));
const productOverflow: Formula = (w) => {
  const [left, right] = [w.signed(w.left), w.signed(w.right)];
  if (w.width < 64) return w.op("i64.ne", w.op("i64.mul", left, right), w.signed(w.result));
  return w.op("i64.ne", w.algebra.macro("x86.mul_high_s", [left, right]), w.op("i64.shr_s", w.result, w.i64(63)));
};
const zero: Formula = (w) => w.op("i64.eqz", w.result);
const sign: Formula = (w) => w.top(w.result);
const parity: Formula = (w) => w.bit(w.not(w.op("i64.popcnt", w.and(w.result, w.i64(255)))), w.i64(0));

const row = (c: Formula, a: Formula, o: Formula): Row => ({ c, p: parity, a, z: zero, s: sign, o });

const rows: Readonly<Record<FlagsKind, Row>> = {
  raw: { c: raw("c"), p: raw("p"), a: raw("a"), z: raw("z"), s: raw("s"), o: raw("o") },
  add: row(carryOut, fourthCarry, sumOverflow),
  adc: row(carryOut, fourthCarry, sumOverflow),
  sub: row(borrowIn, fourthCarry, differenceOverflow),
  sbb: row(borrowIn, fourthCarry, differenceOverflow),
  logic: row(clear, clear, clear),
  inc: row(kept, lowNibble(0n), wrapped(0n)),
  dec: row(kept, lowNibble(15n), wrapped(1n)),
  shl: row(lastOutLeft, clear, shiftedSign),
  shr: row(lastOutRight, clear, (w) => w.top(w.left)),
  sar: row(lastOutRight, clear, clear),
  imul: { c: productOverflow, p: clear, a: clear, z: clear, s: clear, o: productOverflow },
};

const carryBits: Partial<Record<ArithmeticFlag, number>> = { c: 0, o: 1 };

/** i32 0 or 1. */
export function flagOf<V>(algebra: Algebra<V>, noted: NotedFlags<V>, flag: ArithmeticFlag): V {
  const wide = new Wide(algebra, noted);
  const bit = noted.carry === undefined ? undefined : carryBits[flag];
  if (bit === undefined) return rows[noted.kind][flag](wide);
  return wide.bit(wide.op("i64.extend_i32_u", noted.carry!), wide.i64(bit));
}

/** All six in their EFLAGS positions, as i32. */
export function allFlags<V>(algebra: Algebra<V>, noted: NotedFlags<V>): V {
  const op = (name: NumericName, left: V, right: V) => algebra.numeric(name, [left, right], undefined);
  const placed = arithmeticFlags.map((flag) =>
    op("i32.shl", flagOf(algebra, noted, flag), algebra.constant("i32", BigInt(eflagsBit[flag]))),
  );
  return placed.reduce((left, right) => op("i32.or", left, right));
}

/** The even conditions of the encoding: which flags decide, and how. The odd ones negate them (SDM vol. 1 appendix B). */
const positive: Partial<
  Record<
    Condition,
    <V>(flag: (name: ArithmeticFlag) => V, op: (name: "i32.or" | "i32.xor", left: V, right: V) => V) => V
  >
> = {
  o: (flag) => flag("o"),
  b: (flag) => flag("c"),
  e: (flag) => flag("z"),
  be: (flag, op) => op("i32.or", flag("c"), flag("z")),
  s: (flag) => flag("s"),
  p: (flag) => flag("p"),
  l: (flag, op) => op("i32.xor", flag("s"), flag("o")),
  le: (flag, op) => op("i32.or", flag("z"), op("i32.xor", flag("s"), flag("o"))),
};

/** i32 0 or 1. */
export function conditionOf<V>(algebra: Algebra<V>, noted: NotedFlags<V>, condition: Condition): V {
  const index = conditions.indexOf(condition);
  const rule = positive[conditions[index & ~1]!]!;
  const holds = rule<V>(
    (name) => flagOf(algebra, noted, name),
    (name, left, right) => algebra.numeric(name, [left, right], undefined),
  );
  return index % 2 === 0 ? holds : algebra.numeric("i32.eqz", [holds], undefined);
}
