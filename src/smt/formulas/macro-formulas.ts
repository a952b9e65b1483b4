/** The integer macros (isa/ir/macros.ts) over terms, in as many bits as they need. */
import type { MacroName } from "../../isa/ir/index.ts";
import type { Term } from "../terms.ts";
import { dividedSigned, type Formula, isZero, truthBits, zerosBefore } from "./formula.ts";
import { joined, lanesOf } from "./lane-formulas.ts";

const highHalf =
  (sign: "extend" | "extendSigned"): Formula =>
  (t, [a, b]) =>
    t.extract(t.compute("multiply", t.extend(a!, 128, sign), t.extend(b!, 128, sign)), 64, 64);

/** 128 bits by 64. */
const divided =
  (op: "divide" | "remainder", sign: "extend" | "extendSigned"): Formula =>
  (t, [low, high, divisor]) => {
    const [dividend, by] = [t.concat(high!, low!), t.extend(divisor!, 128, sign)];
    const result = sign === "extend" ? t.compute(op, dividend, by) : dividedSigned(t, op, dividend, by);
    return t.extract(result, 0, 64);
  };

const overflows: Formula = (t, [low, high, divisor]) => {
  const quotient = dividedSigned(t, "divide", t.concat(high!, low!), t.extend(divisor!, 128, "extendSigned"));
  const fits = t.equal(t.extend(t.extract(quotient, 0, 64), 128, "extendSigned"), quotient);
  return truthBits(t, t.not(fits));
};

/** Elements before the first zero; the control byte is part of the instruction. */
const stringLength: Formula = (t, [vector, control]) => {
  const width = control!.value & 1n ? 16 : 8;
  const zeros = lanesOf(t, vector!, width).map((lane: Term) => t.extract(truthBits(t, isZero(t, lane)), 0, 1));
  const found = zerosBefore(t, joined(t, zeros), "bottom");
  return t.extend(found, 32);
};

export const macroFormulas: Partial<Record<MacroName, Formula>> = {
  "x86.mul_high_u": highHalf("extend"),
  "x86.mul_high_s": highHalf("extendSigned"),
  "x86.div128_u": divided("divide", "extend"),
  "x86.rem128_u": divided("remainder", "extend"),
  "x86.div128_s": divided("divide", "extendSigned"),
  "x86.rem128_s": divided("remainder", "extendSigned"),
  "x86.div128_s_overflows": overflows,
  "x86.string.length": stringLength,
};
