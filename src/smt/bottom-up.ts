/** What follows from a term's operands, found once for each term. Without recursion: terms are as deep as a run is long. */
import { assert } from "../base/index.ts";
import type { Term } from "./terms.ts";

/** `found` asks for operands only, which are all in `known` by then. */
export function bottomUp<Value>(root: Term, known: Map<Term, Value>, found: (term: Term) => Value): Value {
  const open = [root];
  for (let term = open.at(-1); term !== undefined; term = open.at(-1)) {
    const missing = known.has(term) ? [] : term.operands.filter((operand) => !known.has(operand));
    if (missing.length > 0) {
      open.push(...missing);
      continue;
    }
    open.pop();
    if (!known.has(term)) known.set(term, found(term));
  }
  assert(known.has(root), "smt: a term is found after its operands");
  return known.get(root) as Value;
}
