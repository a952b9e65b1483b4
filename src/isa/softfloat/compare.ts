/** Ordering of two numbers; zeros are equal whatever their sign (SDM vol. 1, 8.3.6). */
import { noteDenormals } from "./arithmetic.ts";
import { type FloatEnvironment, INVALID } from "./environment.ts";
import { isNumber } from "./nan.ts";
import type { Unpacked } from "./unpacked.ts";

export type Ordering = "less" | "equal" | "greater" | "unordered";

/** −1, 0 or 1 for the magnitudes of two numbers that are not NaN. */
function compareMagnitudes(a: Unpacked, b: Unpacked): number {
  if (a.kind !== b.kind) {
    if (a.kind === "zero" || b.kind === "infinity") return -1;
    return 1;
  }
  if (a.kind !== "finite") return 0;
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -1 : 1;
  if (a.significand === b.significand) return 0;
  return a.significand < b.significand ? -1 : 1;
}

/** `quietIsInvalid` tells FCOM and COMIS from FUCOM and UCOMIS: whether a quiet NaN, too, sets the invalid flag. */
export function compare(env: FloatEnvironment, a: Unpacked, b: Unpacked, quietIsInvalid: boolean): Ordering {
  if (!isNumber(a) || !isNumber(b)) {
    const quiet = (isNumber(a) || a.kind === "quiet") && (isNumber(b) || b.kind === "quiet");
    if (quietIsInvalid || !quiet) env.flags |= INVALID;
    return "unordered";
  }
  noteDenormals(env, a, b);
  if (a.kind === "zero" && b.kind === "zero") return "equal";
  if (a.sign !== b.sign) return a.sign === 1 ? "less" : "greater";
  const order = compareMagnitudes(a, b);
  if (order === 0) return "equal";
  return order < 0 === (a.sign === 0) ? "less" : "greater";
}
