/** Transcendental rows (SDM vol. 1, 8.3.7, 8.3.8). C2 says that an argument of 2^63 or more was left unreduced. */
import {
  arcTangent2,
  cosine,
  DEFAULT_NAN,
  type FloatEnvironment,
  finite,
  INTEGER_BIT,
  isNumber,
  outOfCircularRange,
  powerMinusOne,
  sine,
  tangent,
  timesLog2,
  timesLog2OnePlus,
  type Unpacked,
} from "../softfloat/index.ts";
import {
  begin,
  C1,
  C2,
  DONE,
  env,
  finish,
  SUPPRESSED,
  setConditions,
  settle,
  stackFault,
  stackUnderflow,
} from "./faults.ts";
import { operation, type Run, type Table } from "./operation.ts";
import type { X87State } from "./state.ts";

type Unary = (environment: FloatEnvironment, a: Unpacked) => Unpacked;
type Binary = (environment: FloatEnvironment, a: Unpacked, b: Unpacked) => Unpacked;

function leaveUnreduced(unit: X87State): bigint {
  setConditions(unit, C1 | C2, C2);
  return DONE;
}

const circular =
  (op: Unary): Run =>
  (unit) => {
    setConditions(unit, C2, 0);
    if (unit.isEmpty(0)) return stackUnderflow(unit, 0);
    const a = unit.read(0);
    if (outOfCircularRange(a)) return leaveUnreduced(unit);
    begin(unit);
    return finish(unit, 0, op(env, a));
  };

/** FSINCOS and FPTAN: one result replaces ST(0), another is pushed. */
const circularPair =
  (op: Unary, pushed: Unary): Run =>
  (unit) => {
    setConditions(unit, C2, 0);
    if (unit.isEmpty(0) || !unit.isEmpty(7)) {
      if (!stackFault(unit, !unit.isEmpty(0))) return SUPPRESSED;
      return writePair(unit, DEFAULT_NAN, DEFAULT_NAN);
    }
    const a = unit.read(0);
    if (outOfCircularRange(a)) return leaveUnreduced(unit);
    begin(unit);
    const second = pushed(env, a);
    const first = op(env, a);
    return settle(unit) ? writePair(unit, first, second) : SUPPRESSED;
  };

function writePair(unit: X87State, first: Unpacked, second: Unpacked): bigint {
  unit.write(0, first);
  unit.top = unit.top - 1;
  unit.write(0, second);
  return DONE;
}

/** FPTAN pushes 1.0 after a number, and the NaN again after a NaN. */
const oneBeside: Unary = (environment, a) =>
  isNumber(a) && a.kind !== "infinity" ? finite(0, 0, INTEGER_BIT) : tangent(environment, a);

const unary =
  (op: Unary): Run =>
  (unit) => {
    if (unit.isEmpty(0)) return stackUnderflow(unit, 0);
    begin(unit);
    return finish(unit, 0, op(env, unit.read(0)));
  };

/** ST(1) ← op(ST(1), ST(0)), then pop. */
const binary =
  (op: Binary): Run =>
  (unit) => {
    if (unit.isEmpty(0) || unit.isEmpty(1)) return stackUnderflow(unit, 1, 1);
    begin(unit);
    return finish(unit, 1, op(env, unit.read(1), unit.read(0)), 1);
  };

export const transcendentalOperations: Table = {
  Fsin: operation(circular(sine)),
  Fcos: operation(circular(cosine)),
  Fsincos: operation(circularPair(sine, cosine)),
  Fptan: operation(circularPair(tangent, oneBeside)),
  Fpatan: operation(binary(arcTangent2)),
  F2xm1: operation(unary(powerMinusOne)),
  Fyl2x: operation(binary(timesLog2)),
  Fyl2xp1: operation(binary(timesLog2OnePlus)),
};
