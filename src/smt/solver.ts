/** What a solver offers, whoever does the work. Terms come from one house; a theory's atoms are terms of it. */
import type { Term } from "./terms.ts";
import type { Theory } from "./theory.ts";

export type Answer = "satisfiable" | "unsatisfiable" | "unknown";

export interface Solver {
  assert(term: Term): void;
  /** Declarations and assertions as SMT-LIB 2; false when they cannot be read. */
  read(text: string): boolean;
  check(): Answer;
  /** After "satisfiable": what a term is worth in the assignment that was found; booleans are 0 and 1. */
  value(term: Term): bigint;
  /** Gives its memory back. Nothing can be asked afterwards. */
  dispose(): void;
}

/** A theory and the terms that its atoms are, the first for atom 1. */
export interface Attached {
  readonly theory: Theory;
  readonly atoms: readonly Term[];
}

export type StartSolver = (attached?: Attached) => Solver;
