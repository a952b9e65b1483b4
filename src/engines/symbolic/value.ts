/**
 * A value as the machine computes it on the input at hand, and as a term where it depends on unknown input. Always: the term's worth
 * under the input at hand is `bits`.
 */
import type { Term } from "../../smt/index.ts";

export interface Value {
  /** Undefined: only the machine will know, since what makes the value looks at more than its operands. */
  readonly bits: bigint | undefined;
  readonly term: Term | undefined;
}

/** What the machine alone computes: nothing unknown goes into it, since its operands were fixed. */
export const later: Value = { bits: undefined, term: undefined };

export const known = (bits: bigint): Value => ({ bits, term: undefined });

/** What it is, where that must be known: addresses, conditions. */
export const isLater = (value: Value): boolean => value.bits === undefined;
