/**
 * One question to the solver: is there an execution, with a crash, in which `goal` holds? Always: an execution that is found is judged
 * by the model again, and where none is found the refutation holds all that somebody else needs to check it.
 */
import { assert } from "../../../base/index.ts";
import {
  type Lemma,
  NotedTheory,
  type OrderProblem,
  OrderTheory,
  SmtLib,
  type StartSolver,
  type Term,
  type Theory,
} from "../../../smt/index.ts";
import type { Encoded, EncodeOptions } from "../encode/encode.ts";
import type { EventGraph } from "../events/events.ts";
import { executionOf, type FoundExecution, judgeAgain, type NumberOf } from "./judged.ts";

export interface Question {
  readonly graph: EventGraph;
  readonly encoded: Encoded;
  readonly options: EncodeOptions;
  readonly goal: Term;
  /** Which of these hold is told of an execution that is found. */
  readonly told?: readonly Term[];
  readonly numberOf: NumberOf;
}

/** Why there is no such execution: the formula has no solution that the problem of order allows. */
export interface Refutation {
  /** Constraints and goal, as SMT-LIB. */
  readonly formula: string;
  /** What the atoms are called there, the first first. */
  readonly atoms: readonly string[];
  readonly problem: OrderProblem;
  /** With these for the theory, the formula alone has no solution. */
  readonly lemmas: readonly Lemma[];
}

export interface SolverPort {
  readonly start: StartSolver;
  /** Throws when the time is over. */
  readonly alarm: () => void;
}

export type Answered =
  | { readonly possible: true; readonly execution: FoundExecution; readonly told: ReadonlySet<Term> }
  | { readonly possible: false; readonly refutation: Refutation };

export function ask(question: Question, { start, alarm }: SolverPort): Answered {
  const { encoded, goal, graph, options } = question;
  const noted = new NotedTheory(new OrderTheory(encoded.problem));
  const solver = start({ theory: withAlarm(noted, alarm), atoms: encoded.atoms });
  try {
    for (const constraint of [...encoded.constraints, goal]) solver.assert(constraint);
    const answer = solver.check();
    assert(answer !== "unknown", "Z3 decides formulas over booleans and bit vectors when it is given the time");
    if (answer === "unsatisfiable") return { possible: false, refutation: refutationOf(question, noted.lemmas) };
    const execution = executionOf(graph, encoded, solver, question.numberOf);
    judgeAgain(execution, options);
    const told = new Set(question.told?.filter((term) => solver.value(term) === 1n));
    return { possible: true, execution, told };
  } finally {
    solver.dispose();
  }
}

function refutationOf({ encoded, goal }: Question, lemmas: readonly Lemma[]): Refutation {
  const text = new SmtLib();
  for (const constraint of [...encoded.constraints, goal]) text.assert(constraint);
  const atoms = encoded.atoms.map((atom) => text.of(atom));
  return { formula: text.text, atoms, problem: encoded.problem, lemmas };
}

/** Z3 is left alone with its search for hours; the theory is what it comes back to. */
const withAlarm = (theory: Theory, alarm: () => void): Theory => ({
  atoms: theory.atoms,
  push: () => theory.push(),
  pop: (levels) => theory.pop(levels),
  assign: (literal) => {
    alarm();
    theory.assign(literal);
  },
  next: () => theory.next(),
});
