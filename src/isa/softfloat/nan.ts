/**
 * What becomes of NaN and unsupported operands (SDM vol. 1, table 4-7, and 8.5.1.2). Always: the answer is quiet, and
 * the invalid flag is set exactly when an operand was signaling or unsupported.
 */
import { type FloatEnvironment, INVALID } from "./environment.ts";
import { DEFAULT_NAN, isNan, quieted, type Unpacked } from "./unpacked.ts";

export const isNumber = (a: Unpacked): boolean => a.kind === "finite" || a.kind === "zero" || a.kind === "infinity";

/** A masked invalid operation. */
export function invalid(env: FloatEnvironment): Unpacked {
  env.flags |= INVALID;
  return DEFAULT_NAN;
}

/** The result of an operation with one operand that is not a number. */
export function propagateOne(env: FloatEnvironment, a: Unpacked): Unpacked {
  if (a.kind === "unsupported") return invalid(env);
  if (a.kind === "signaling") env.flags |= INVALID;
  return quieted(a);
}

/** x87: a quiet NaN wins over a signaling one, else the larger significand, else the positive one. */
function larger(a: Unpacked, b: Unpacked): Unpacked {
  if (a.kind !== b.kind) return a.kind === "quiet" ? a : b;
  if (a.significand !== b.significand) return a.significand > b.significand ? a : b;
  return a.sign <= b.sign ? a : b;
}

/** The result of an operation with two operands of which at least one is not a number. */
export function propagate(env: FloatEnvironment, a: Unpacked, b: Unpacked): Unpacked {
  if (a.kind === "unsupported" || b.kind === "unsupported") return invalid(env);
  if (a.kind === "signaling" || b.kind === "signaling") env.flags |= INVALID;
  if (!isNan(b)) return quieted(a);
  if (!isNan(a)) return quieted(b);
  return quieted(env.nanRule === "sse" ? a : larger(a, b));
}
