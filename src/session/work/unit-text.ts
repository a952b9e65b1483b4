/** Judged units as text, for journals and for other computers. */
import * as v from "valibot";
import type { Timed } from "./judge-pool.ts";

/** Whole numbers beyond JSON's are objects with their digits. */
const bigintKey = "$bigint";

export const toPlain = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? { [bigintKey]: value.toString() } : value;

export const fromPlain = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && bigintKey in value ? BigInt(String(value[bigintKey])) : value;

/** What every result has; an engine knows its own. */
export const resultShape = v.looseObject({ unit: v.unknown(), tested: v.number() });
export const ranShape = v.record(v.string(), v.array(v.number()));

const timedShape = v.object({ result: resultShape, seconds: v.number(), ran: v.exactOptional(ranShape) });

export const timedText = (timed: Timed): string => JSON.stringify(timed, toPlain);

/** Undefined for what is no judged unit. */
export function timedFrom(text: string): Timed | undefined {
  try {
    const timed: unknown = JSON.parse(text, fromPlain);
    return v.is(timedShape, timed) ? (timed as Timed) : undefined;
  } catch {
    return undefined;
  }
}
