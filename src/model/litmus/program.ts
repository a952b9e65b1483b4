/**
 * A litmus test after parsing: threads of straight-line code with forward jumps, over named locations placed on lines,
 * run once per phase with a power failure between phases. Always:
 * - Locations and registers are indexes; names are kept only for printing.
 * - A jump goes forward, so every thread ends.
 */
import type { Condition } from "./condition.ts";

/** constant + sum of factor × register. */
export interface Expression {
  readonly constant: number;
  readonly terms: readonly { readonly register: number; readonly factor: number }[];
}

export type FlushName = "clflush" | "clflushopt" | "clwb";
export type UpdateName = "compare-exchange" | "add" | "exchange";

/** `text` is how the user wrote it. */
export type Instruction = { readonly text: string } & (
  | { readonly kind: "store"; readonly nonTemporal: boolean; readonly location: number; readonly value: Expression }
  | { readonly kind: "load"; readonly register: number; readonly location: number }
  | { readonly kind: "flush"; readonly op: FlushName; readonly location: number }
  | { readonly kind: "fence"; readonly op: "sfence" | "mfence" }
  | {
      readonly kind: "update";
      readonly op: UpdateName;
      /** Receives the value found. */
      readonly register: number;
      readonly location: number;
      readonly expected: Expression;
      readonly operand: Expression;
    }
  | { readonly kind: "assign"; readonly register: number; readonly value: Expression }
  | { readonly kind: "jump"; readonly when: "zero" | "nonzero"; readonly value: Expression; readonly target: number }
);

export interface Thread {
  readonly code: readonly Instruction[];
  readonly registers: readonly string[];
  readonly initial: readonly number[];
}

export type Phase = readonly Thread[];

export interface Location {
  readonly name: string;
  readonly line: number;
  readonly initial: number;
}

export type LitmusVerdict = "ALLOWED" | "FORBIDDEN";

/** A question about a test; `expected` verdicts are claims the test makes, absent where it only asks. */
export interface Check {
  readonly condition: Condition;
  /** Crash at any point, crash after everything took effect, or the final state without a crash. */
  readonly at: "any" | "end" | "final";
  /** What the state left by the phase before must be for the last phase to count: any of these. */
  readonly entry: readonly Condition[];
  readonly expected?: LitmusVerdict;
  readonly expectedOnEadr?: LitmusVerdict;
  readonly expectedWhenFailedCasIsLoad?: LitmusVerdict;
  readonly why: string;
  /** The question as written, where it was written out. */
  readonly text?: string;
}

export interface LitmusTest {
  readonly name: string;
  readonly source: string;
  readonly locations: readonly Location[];
  readonly phases: readonly Phase[];
  readonly checks: readonly Check[];
}

export const constant = (value: number): Expression => ({ constant: value, terms: [] });
export const register = (index: number, plus = 0): Expression => ({
  constant: plus,
  terms: [{ register: index, factor: 1 }],
});

export function evaluate(expression: Expression, registers: readonly number[]): number {
  let value = expression.constant;
  for (const { register, factor } of expression.terms) value += factor * (registers[register] as number);
  return value;
}

/** The new value of an update that found `found`; undefined when a compare-exchange fails. */
export function updatedValue(
  update: Extract<Instruction, { kind: "update" }>,
  found: number,
  registers: readonly number[],
): number | undefined {
  const operand = evaluate(update.operand, registers);
  if (update.op === "add") return found + operand;
  if (update.op === "exchange") return operand;
  return found === evaluate(update.expected, registers) ? operand : undefined;
}
