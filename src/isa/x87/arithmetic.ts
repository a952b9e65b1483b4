/**
 * Arithmetic rows: FADD and its kin in all forms, and the operations on ST(0) and ST(1) (SDM vol. 1, 8.3.5).
 * Always: an empty operand is a stack fault and nothing else about the operands is looked at.
 */
import {
  add,
  type Binary,
  DEFAULT_NAN,
  DENORMAL,
  divide,
  extended80,
  extract,
  multiply,
  remainder,
  scale,
  squareRoot,
  subtract,
  toIntegral,
} from "../softfloat/index.ts";
import {
  begin,
  C0,
  C1,
  C2,
  C3,
  CONDITIONS,
  DONE,
  env,
  finish,
  resultFormat,
  SUPPRESSED,
  setConditions,
  settle,
  stackFault,
  stackUnderflow,
} from "./faults.ts";
import { type Decode, m16int, m32fp, m32int, m64fp } from "./operands.ts";
import { argument, operation, type Run, registerIndex, type Table } from "./operation.ts";
import type { X87State } from "./state.ts";

const reversed =
  (op: Binary): Binary =>
  (environment, format, a, b) =>
    op(environment, format, b, a);

const withMemory =
  (op: Binary, decode: Decode): Run =>
  (unit, args) => {
    if (unit.isEmpty(0)) return stackUnderflow(unit, 0);
    begin(unit);
    return finish(unit, 0, op(env, resultFormat(unit), unit.read(0), decode(argument(args, 0))));
  };

/** ST(destination) ← op(ST(destination), ST(source)). */
function between(unit: X87State, op: Binary, destination: number, source: number, pops: number): bigint {
  if (unit.isEmpty(0) || unit.isEmpty(destination + source)) return stackUnderflow(unit, destination, pops);
  begin(unit);
  return finish(unit, destination, op(env, resultFormat(unit), unit.read(destination), unit.read(source)), pops);
}

const families: Record<string, Binary> = {
  add,
  mul: multiply,
  sub: subtract,
  subr: reversed(subtract),
  div: divide,
  divr: reversed(divide),
};

const familyRows = (name: string, op: Binary): Table => ({
  [`F${name}_m32fp`]: operation(withMemory(op, m32fp)),
  [`F${name}_m64fp`]: operation(withMemory(op, m64fp)),
  [`Fi${name}_m16int`]: operation(withMemory(op, m16int)),
  [`Fi${name}_m32int`]: operation(withMemory(op, m32int)),
  [`F${name}_st0_sti`]: operation((unit, args) => between(unit, op, 0, registerIndex(args), 0)),
  [`F${name}_sti_st0`]: operation((unit, args) => between(unit, op, registerIndex(args), 0, 0)),
  [`F${name}p_sti_st0`]: operation((unit, args) => between(unit, op, registerIndex(args), 0, 1)),
});

/** Changes only the sign bit, whatever the pattern. */
const onSign =
  (change: (signExponent: number) => number): Run =>
  (unit) => {
    if (unit.isEmpty(0)) return stackUnderflow(unit, 0);
    setConditions(unit, C1, 0);
    unit.setBits(0, unit.significand(0), change(unit.signExponent(0)));
    return DONE;
  };

const squareRootOfTop: Run = (unit) => {
  if (unit.isEmpty(0)) return stackUnderflow(unit, 0);
  begin(unit);
  return finish(unit, 0, squareRoot(env, resultFormat(unit), unit.read(0)));
};

const roundTop: Run = (unit) => {
  if (unit.isEmpty(0)) return stackUnderflow(unit, 0);
  begin(unit);
  const value = unit.read(0);
  if (value.denormal) env.flags |= DENORMAL;
  return finish(unit, 0, toIntegral(env, value, env.rounding));
};

const scaleTop: Run = (unit) => {
  if (unit.isEmpty(0) || unit.isEmpty(1)) return stackUnderflow(unit, 0);
  begin(unit);
  return finish(unit, 0, scale(env, extended80, unit.read(0), unit.read(1)));
};

const remainderOfTop =
  (toNearest: boolean): Run =>
  (unit) => {
    setConditions(unit, C1 | C2, 0);
    if (unit.isEmpty(0) || unit.isEmpty(1)) return stackUnderflow(unit, 0);
    begin(unit);
    const { value, quotient, partial } = remainder(env, unit.read(0), unit.read(1), toNearest);
    const result = finish(unit, 0, value);
    if (result === SUPPRESSED || quotient === undefined) return result;
    const bits = (quotient & 4 ? C0 : 0) | (quotient & 2 ? C3 : 0) | (quotient & 1 ? C1 : 0);
    setConditions(unit, CONDITIONS, bits | (partial ? C2 : 0));
    return result;
  };

const extractTop: Run = (unit) => {
  if (unit.isEmpty(0) || !unit.isEmpty(7)) {
    if (!stackFault(unit, !unit.isEmpty(0))) return SUPPRESSED;
    unit.write(0, DEFAULT_NAN);
    unit.top = unit.top - 1;
    unit.write(0, DEFAULT_NAN);
    return DONE;
  }
  begin(unit);
  const { exponent, significand } = extract(env, unit.read(0));
  if (!settle(unit)) return SUPPRESSED;
  unit.write(0, exponent);
  unit.top = unit.top - 1;
  unit.write(0, significand);
  return DONE;
};

export const arithmeticOperations: Table = {
  ...Object.entries(families).reduce<Table>((table, [name, op]) => Object.assign(table, familyRows(name, op)), {}),
  Fchs: operation(onSign((bits) => bits ^ 0x8000)),
  Fabs: operation(onSign((bits) => bits & 0x7fff)),
  Fsqrt: operation(squareRootOfTop),
  Frndint: operation(roundTop),
  Fscale: operation(scaleTop),
  Fprem: operation(remainderOfTop(false)),
  Fprem1: operation(remainderOfTop(true)),
  Fxtract: operation(extractTop),
};
