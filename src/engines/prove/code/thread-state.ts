/** Where a thread stands: what must hold for control to come here, and what registers and its own memory hold then. */
import { allFlags, type NotedFlags, type RegName } from "../../../isa/ir/index.ts";
import type { Term, Terms } from "../../../smt/index.ts";
import type { OwnMemory } from "./own-memory.ts";
import { TermAlgebra } from "./term-algebra.ts";

export interface CodeState {
  readonly reached: Term;
  readonly registers: Map<RegName, Term>;
  readonly own: OwnMemory;
  flags: NotedFlags<Term>;
}

export const copyState = (state: CodeState, reached: Term): CodeState => ({
  reached,
  registers: new Map(state.registers),
  own: state.own.copy(),
  flags: state.flags,
});

/** Two ways to one place, of which at most one is gone. */
export function joinedStates(terms: Terms, a: CodeState, b: CodeState): CodeState {
  const choose = (left: Term, right: Term) => terms.choose(a.reached, left, right);
  return {
    reached: terms.or(a.reached, b.reached),
    registers: new Map([...a.registers].map(([name, value]) => [name, choose(value, b.registers.get(name)!)])),
    own: a.own.joined(a.reached, b.own),
    flags: joinedFlags(terms, a.flags, b.flags, choose),
  };
}

/** Flags that follow from operations of one kind stay so; others are worked out. */
function joinedFlags(
  terms: Terms,
  a: NotedFlags<Term>,
  b: NotedFlags<Term>,
  choose: (left: Term, right: Term) => Term,
): NotedFlags<Term> {
  if (a === b) return a;
  if (a.kind === b.kind && a.width === b.width && a.carry === undefined && b.carry === undefined)
    return {
      ...{ kind: a.kind, width: a.width },
      ...{ left: choose(a.left, b.left), right: choose(a.right, b.right), result: choose(a.result, b.result) },
    };
  const algebra = new TermAlgebra(terms);
  const bits = choose(allFlags(algebra, a), allFlags(algebra, b));
  return { kind: "raw", width: 32, left: bits, right: bits, result: bits };
}
