/** WebAssembly's scalar integer operations over terms: a row each. Division is asked for only where the divisor cannot be 0. */
import type { NumericName } from "../../isa/wasm/index.ts";
import type { Term, Terms } from "../terms.ts";
import {
  type ComparisonName,
  comparisons,
  dividedSigned,
  type Formula,
  isZero,
  populationCount,
  shifted,
  truthBits,
  widthOf,
  zerosBefore,
} from "./formula.ts";

const two =
  (make: (t: Terms, a: Term, b: Term) => Term): Formula =>
  (t, [a, b]) =>
    make(t, a!, b!);
const one =
  (make: (t: Terms, a: Term) => Term): Formula =>
  (t, [a]) =>
    make(t, a!);

const compared = (name: ComparisonName): Formula => two((t, a, b) => truthBits(t, comparisons[name](t, a, b)));
const signExtended = (bits: number): Formula =>
  one((t, a) => t.extend(t.extract(a, 0, bits), widthOf(a), "extendSigned"));
const rotated = (towards: "left" | "right"): Formula =>
  two((t, a, b) => {
    const back = t.compute("subtract", t.constant(a.sort, 0n), b);
    const [up, down] = towards === "left" ? [b, back] : [back, b];
    return t.compute("bitOr", shifted(t, "shiftLeft", a, up), shifted(t, "shiftRight", a, down));
  });

/** Those that i32 and i64 have alike. */
const both = {
  eqz: one((t, a) => truthBits(t, isZero(t, a))),
  eq: compared("eq"),
  ne: compared("ne"),
  lt_s: compared("lt_s"),
  lt_u: compared("lt_u"),
  gt_s: compared("gt_s"),
  gt_u: compared("gt_u"),
  le_s: compared("le_s"),
  le_u: compared("le_u"),
  ge_s: compared("ge_s"),
  ge_u: compared("ge_u"),
  clz: one((t, a) => zerosBefore(t, a, "top")),
  ctz: one((t, a) => zerosBefore(t, a, "bottom")),
  popcnt: one(populationCount),
  add: two((t, a, b) => t.compute("add", a, b)),
  sub: two((t, a, b) => t.compute("subtract", a, b)),
  mul: two((t, a, b) => t.compute("multiply", a, b)),
  div_u: two((t, a, b) => t.compute("divide", a, b)),
  rem_u: two((t, a, b) => t.compute("remainder", a, b)),
  div_s: two((t, a, b) => dividedSigned(t, "divide", a, b)),
  rem_s: two((t, a, b) => dividedSigned(t, "remainder", a, b)),
  and: two((t, a, b) => t.compute("bitAnd", a, b)),
  or: two((t, a, b) => t.compute("bitOr", a, b)),
  xor: two((t, a, b) => t.compute("bitXor", a, b)),
  shl: two((t, a, b) => shifted(t, "shiftLeft", a, b)),
  shr_s: two((t, a, b) => shifted(t, "shiftRightSigned", a, b)),
  shr_u: two((t, a, b) => shifted(t, "shiftRight", a, b)),
  rotl: rotated("left"),
  rotr: rotated("right"),
  extend8_s: signExtended(8),
  extend16_s: signExtended(16),
} as const satisfies Readonly<Record<string, Formula>>;

const same: Formula = one((_, a) => a);

export const scalarFormulas: Partial<Record<NumericName, Formula>> = {
  ...Object.fromEntries(
    Object.entries(both).flatMap(([name, formula]) => [
      [`i32.${name}`, formula],
      [`i64.${name}`, formula],
    ]),
  ),
  "i64.extend32_s": signExtended(32),
  "i32.wrap_i64": one((t, a) => t.extract(a, 0, 32)),
  "i64.extend_i32_s": one((t, a) => t.extend(a, 64, "extendSigned")),
  "i64.extend_i32_u": one((t, a) => t.extend(a, 64)),
  // Values are their bits, whatever they mean.
  "i32.reinterpret_f32": same,
  "i64.reinterpret_f64": same,
  "f32.reinterpret_i32": same,
  "f64.reinterpret_i64": same,
};
