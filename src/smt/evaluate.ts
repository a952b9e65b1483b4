/** What a term is worth when its variables have given values. */
import { assert } from "../base/index.ts";
import { bottomUp } from "./bottom-up.ts";
import { held, meanings, type TermOperator } from "./operators.ts";
import type { Term } from "./terms.ts";

/** The value of a variable; variables that nothing depends on may be worth anything. */
export type Assignment = (variable: Term) => bigint;

/** Values are kept in `known`, which serves all terms of one assignment. */
export function evaluateTerm(root: Term, assignment: Assignment, known = new Map<Term, bigint>()): bigint {
  return bottomUp(root, known, (term) => worthOf(term, assignment, known));
}

/** What an operator makes of its operands' values. */
export const appliedTo = (term: Term, values: readonly bigint[]): bigint =>
  held(
    term.sort,
    meanings[term.op as TermOperator](withWidths(term, term.op as TermOperator, values), operandWidth(term)),
  );

function worthOf(term: Term, assignment: Assignment, known: ReadonlyMap<Term, bigint>): bigint {
  if (term.op === "constant") return term.value;
  if (term.op === "variable") return held(term.sort, assignment(term));
  const values = term.operands.map((operand) => {
    const value = known.get(operand);
    assert(value !== undefined, "operands are evaluated before what is made of them");
    return value;
  });
  return appliedTo(term, values);
}

/** Extraction and joining need to know a place besides the values. */
function withWidths(term: Term, op: TermOperator, values: readonly bigint[]): readonly bigint[] {
  if (op === "extract") return [...values, term.value];
  if (op === "concat") return [...values, BigInt(term.operands[1]!.sort as number)];
  return values;
}

const operandWidth = (term: Term): number => {
  const { sort } = term.operands[0]!;
  return sort === "bool" ? 1 : sort;
};
