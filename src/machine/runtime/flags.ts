/**
 * Evaluates noted flags (isa/ir/flags.ts) in WebAssembly: one function per flag over (kind, left, right, result), and one
 * for the sixteen conditions. The rows give each flag's formula per kind, in the order of `flagsKinds`.
 */
import {
  type ArithmeticFlag,
  arithmeticFlags,
  carryNoted,
  carryShift,
  codeMask,
  eflagsBit,
  type FlagsKind,
  flagsKinds,
  overflowShift,
} from "../../isa/ir/index.ts";
import { Code, type ModuleBuilder } from "../../isa/wasm/index.ts";

const params = ["i32", "i64", "i64", "i64"] as const;
const [kind, left, right, result] = [0, 1, 2, 3];

/** Leaves an i64 whose bit 0 is the flag. `top` is the local that holds width-1. */
type Formula = (c: Code, top: number, mulHigh: number) => void;

const bit =
  (position: number): Formula =>
  (c) =>
    c.get(left).i64(BigInt(position)).op("i64.shr_u");
const constant =
  (value: bigint): Formula =>
  (c) =>
    c.i64(value);
const boolean =
  (write: Formula): Formula =>
  (c, top, mulHigh) => {
    write(c, top, mulHigh);
    c.op("i64.extend_i32_u");
  };
/** The sign bit, at the width's top, of what `write` leaves. */
const signOf =
  (write: (c: Code) => void): Formula =>
  (c, top) => {
    write(c);
    c.get(top).op("i64.shr_u");
  };
const invert = (c: Code) => c.i64(-1n).op("i64.xor");

const sumOverflow = signOf((c) => {
  c.get(left).get(result).op("i64.xor").get(right).get(result).op("i64.xor").op("i64.and");
});
const differenceOverflow = signOf((c) => {
  c.get(left).get(right).op("i64.xor").get(left).get(result).op("i64.xor").op("i64.and");
});
const halfCarry: Formula = (c) => {
  c.get(left).get(right).op("i64.xor").get(result).op("i64.xor").i64(4n).op("i64.shr_u");
};
const lowNibbleIs = (value: bigint) => boolean((c) => c.get(result).i64(15n).op("i64.and").i64(value).op("i64.eq"));
const shiftedOut: Formula = (c) => c.get(left).get(right).i64(1n).op("i64.sub").op("i64.shr_u");
const shiftedOutLeft: Formula = (c, top) =>
  c.get(left).get(top).i64(1n).op("i64.add").get(right).op("i64.sub").op("i64.shr_u");
const resultSign = signOf((c) => c.get(result));
const resultZero = boolean((c) => c.get(result).op("i64.eqz"));
const resultParity: Formula = (c) => c.get(result).i64(255n).op("i64.and").op("i64.popcnt").i64(1n).op("i64.xor");
const zero = constant(0n);

/** A product does not fit: as 64-bit factors it has another upper half than its sign, or another lower one. */
const productOverflow = boolean((c, top, mulHigh) => {
  const extended = (local: number) => {
    const distance = () => c.i64(63n).get(top).op("i64.sub");
    c.get(local);
    distance().op("i64.shl");
    distance().op("i64.shr_s");
  };
  const low = c.local("i64");
  extended(left);
  extended(right);
  c.op("i64.mul").tee(low).i64(63n).op("i64.shr_s");
  extended(left);
  extended(right);
  c.call(mulHigh).op("i64.ne");
  extended(result);
  c.get(low).op("i64.ne").op("i32.or");
});

type Row = Readonly<Record<ArithmeticFlag, Formula>>;
const common = { z: resultZero, s: resultSign, p: resultParity } as const;

const rows: Readonly<Record<FlagsKind, Row>> = {
  raw: {
    c: bit(eflagsBit.c),
    p: bit(eflagsBit.p),
    a: bit(eflagsBit.a),
    z: bit(eflagsBit.z),
    s: bit(eflagsBit.s),
    o: bit(eflagsBit.o),
  },
  add: { ...common, c: boolean((c) => c.get(result).get(left).op("i64.lt_u")), a: halfCarry, o: sumOverflow },
  sub: { ...common, c: boolean((c) => c.get(left).get(right).op("i64.lt_u")), a: halfCarry, o: differenceOverflow },
  logic: { ...common, c: zero, a: zero, o: zero },
  inc: {
    ...common,
    c: (c) => c.get(left),
    a: lowNibbleIs(0n),
    o: boolean((c, top) => c.get(result).i64(1n).get(top).op("i64.shl").op("i64.eq")),
  },
  dec: {
    ...common,
    c: (c) => c.get(left),
    a: lowNibbleIs(15n),
    o: boolean((c, top) => c.get(result).i64(1n).get(top).op("i64.shl").i64(1n).op("i64.sub").op("i64.eq")),
  },
  adc: {
    ...common,
    c: signOf((c) => {
      c.get(left).get(right).op("i64.and").get(left).get(right).op("i64.or");
      invert(c.get(result));
      c.op("i64.and").op("i64.or");
    }),
    a: halfCarry,
    o: sumOverflow,
  },
  sbb: {
    ...common,
    c: signOf((c) => {
      invert(c.get(left)).get(right).op("i64.and");
      invert(c.get(left)).get(right).op("i64.or").get(result).op("i64.and").op("i64.or");
    }),
    a: halfCarry,
    o: differenceOverflow,
  },
  shl: {
    ...common,
    c: shiftedOutLeft,
    a: zero,
    o: (c, top, mulHigh) => {
      resultSign(c, top, mulHigh);
      shiftedOutLeft(c, top, mulHigh);
      c.op("i64.xor");
    },
  },
  shr: { ...common, c: shiftedOut, a: zero, o: signOf((c) => c.get(left)) },
  sar: { ...common, c: shiftedOut, a: zero, o: zero },
  imul: { c: productOverflow, o: productOverflow, p: zero, a: zero, z: zero, s: zero },
};

/** Flags that may lie beside the code. */
const besideCode: Partial<Record<ArithmeticFlag, number>> = { c: carryShift, o: overflowShift };

/** (kind, left, right, result) → 0 or 1. */
function flagFunction(flag: ArithmeticFlag, mulHigh: number): Code {
  const c = new Code(params);
  const shift = besideCode[flag];
  if (shift !== undefined) {
    c.get(kind).i32(carryNoted).op("i32.and").if_();
    c.get(kind).i32(shift).op("i32.shr_u").i32(1).op("i32.and").return_();
    c.end();
  }
  const top = c.local("i64");
  c.i64(8n).get(kind).i32(3).op("i32.and").op("i64.extend_i32_u").op("i64.shl").i64(1n).op("i64.sub").set(top);
  const labels = flagsKinds.map(() => c.block());
  c.get(kind).i32(codeMask).op("i32.and").i32(2).op("i32.shr_u").brTable(labels.toReversed(), labels[0]!);
  for (const name of flagsKinds) {
    c.end();
    rows[name][flag](c, top, mulHigh);
    c.op("i32.wrap_i64").i32(1).op("i32.and").return_();
  }
  c.unreachable();
  return c;
}

/** Leaves the kind with CF (bit 0 of `pushBits`) and OF (bit 1) noted beside its code. */
export function writeCarry(c: Code, pushKind: () => void, pushBits: () => void): void {
  pushKind();
  c.i32(codeMask).op("i32.and");
  pushBits();
  c.i32(carryShift).op("i32.shl").op("i32.or").i32(carryNoted).op("i32.or");
}

export interface FlagFunctions {
  readonly byFlag: Readonly<Record<ArithmeticFlag, number>>;
  /** (which, kind, left, right, result) → 0 or 1; `which` indexes `arithmeticFlags`, anything else asks for all at once. */
  readonly flag: number;
  /** (condition, kind, left, right, result) → 0 or 1. */
  readonly condition: number;
}

const selected = ["i32", ...params] as const;

/** Passes the noted flags (parameters 1–4) on to a flag's function. */
const ask = (c: Code, index: number) => c.get(1).get(2).get(3).get(4).call(index);

/** `mulHigh` is the function of the macro x86.mul_high_s. */
export function addFlagFunctions(module: ModuleBuilder, mulHigh: number): FlagFunctions {
  const byFlag = {} as Record<ArithmeticFlag, number>;
  for (const flag of arithmeticFlags)
    byFlag[flag] = module.function({ params, results: ["i32"] }, flagFunction(flag, mulHigh));

  const any = new Code(selected);
  const all = any.block();
  const cases = arithmeticFlags.map(() => any.block());
  any.get(0).brTable(cases.toReversed(), all);
  for (const flag of arithmeticFlags) {
    any.end();
    ask(any, byFlag[flag]).return_();
  }
  any.unreachable();
  any.end();
  any.i32(0);
  for (const flag of arithmeticFlags) ask(any, byFlag[flag]).i32(eflagsBit[flag]).op("i32.shl").op("i32.or");

  const condition = new Code(selected);
  const pairs = Array.from({ length: 8 }, () => condition.block());
  condition.get(0).i32(1).op("i32.shr_u").brTable(pairs.toReversed(), pairs[0]!);
  const positive: readonly (() => void)[] = [
    () => ask(condition, byFlag.o),
    () => ask(condition, byFlag.c),
    () => ask(condition, byFlag.z),
    () => ask(ask(condition, byFlag.c), byFlag.z).op("i32.or"),
    () => ask(condition, byFlag.s),
    () => ask(condition, byFlag.p),
    () => ask(ask(condition, byFlag.s), byFlag.o).op("i32.xor"),
    () => ask(ask(ask(condition, byFlag.s), byFlag.o).op("i32.xor"), byFlag.z).op("i32.or"),
  ];
  for (const write of positive) {
    condition.end();
    write();
    condition.get(0).i32(1).op("i32.and").op("i32.xor").return_();
  }
  condition.unreachable();

  const signature = { params: selected, results: ["i32"] } as const;
  return { byFlag, flag: module.function(signature, any), condition: module.function(signature, condition) };
}
