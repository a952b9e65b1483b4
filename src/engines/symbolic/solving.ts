/**
 * Finds an input that takes another way: conditions that held for one input, and one more that did not. Always:
 * - Bytes that the new condition has nothing to do with stay as they were: only conditions that share bytes with it, over others too,
 *   are looked at.
 * - What is answered satisfies every condition; that is checked by evaluating them.
 */
import { assert } from "../../base/index.ts";
import { evaluateTerm, type Solver, startZ3, type Term } from "../../smt/index.ts";
import { ByteValues } from "./byte-values.ts";
import { type Conditions, eachCondition } from "./path.ts";
import { type OpenPart, QuickAnswers } from "./quick-answers.ts";
import { Influence, type Model, type Unknowns } from "./unknowns.ts";

export interface Question {
  readonly before: Conditions | undefined;
  /** What has to hold too. */
  readonly wanted: Term;
  /** An input for which the conditions before hold. */
  readonly model: Model;
}

export type Solved = Model | "impossible" | "undecided";

/** How often each part of the chain had the answer. */
export interface SolverCounts {
  byValues: number;
  /** The same question again. */
  known: number;
  byTries: number;
  byZ3: number;
  undecided: number;
}

export class Solving {
  readonly counts: SolverCounts = { byValues: 0, known: 0, byTries: 0, byZ3: 0, undecided: 0 };
  readonly influence = new Influence();
  readonly values = new ByteValues();
  readonly #unknowns: Unknowns;
  readonly #quick = new QuickAnswers(this.values, (term) => this.influence.of(term));
  /** By the numbers of the conditions: what has been answered of a part by itself. */
  readonly #answered = new Map<string, Solved>();
  readonly #tries: boolean;
  #start: (() => Solver) | undefined;

  /** Without tries, whatever has several unknown bytes goes to the solver: the slow twin. */
  constructor(unknowns: Unknowns, { tries = true } = {}) {
    this.#unknowns = unknowns;
    this.#tries = tries;
  }

  async solve({ before, wanted, model }: Question): Promise<Solved> {
    const { conditions, variables } = this.#related(before, wanted);
    const answer =
      variables.length === 1
        ? this.#byValues(conditions, variables[0]!)
        : await this.#bySeveral({ conditions, variables, model: this.#unknowns.assignment(model) });
    if (typeof answer === "string") return answer;
    const changed = new Map([...model, ...answer]);
    const worth = this.#unknowns.assignment(changed);
    const known = new Map<Term, bigint>();
    for (const condition of conditions)
      assert(evaluateTerm(condition, worth, known) === 1n, "symbolic: an answer satisfies what was asked");
    return changed;
  }

  /** The wanted condition with all that share bytes with it, step by step. */
  #related(before: Conditions | undefined, wanted: Term) {
    const variables = new Set(this.influence.of(wanted));
    const conditions = [wanted];
    let open = [...eachCondition(before)];
    for (let grew = true; grew; ) {
      const rest: Term[] = [];
      for (const condition of open) {
        const own = this.influence.of(condition);
        if (![...own].some((variable) => variables.has(variable))) rest.push(condition);
        else {
          conditions.push(condition);
          for (const variable of own) variables.add(variable);
        }
      }
      grew = rest.length < open.length;
      open = rest;
    }
    return { conditions, variables: [...variables] };
  }

  #byValues(conditions: readonly Term[], variable: Term): Solved {
    this.counts.byValues++;
    const [value] = this.values.common(conditions);
    return value === undefined ? "impossible" : new Map([[variable, BigInt(value)]]);
  }

  async #bySeveral(part: OpenPart): Promise<Solved> {
    if (!this.#tries) return this.#byZ3(part);
    const key = part.conditions.map(({ id }) => id).sort((a, b) => a - b).join(); // biome-ignore format: one line
    const known = this.#answered.get(key);
    if (known !== undefined) {
      this.counts.known++;
      return known;
    }
    const quick = this.#quick.answer(part);
    if (quick !== undefined) this.counts.byTries++;
    const answer = quick ?? (await this.#byZ3(part));
    this.#answered.set(key, answer);
    if (typeof answer !== "string") this.#quick.note(answer);
    return answer;
  }

  async #byZ3({ conditions, variables }: OpenPart): Promise<Solved> {
    this.counts.byZ3++;
    this.#start ??= await startZ3();
    const solver = this.#start();
    try {
      for (const condition of conditions) solver.assert(condition);
      const answer = solver.check();
      if (answer === "unsatisfiable") return "impossible";
      if (answer === "satisfiable") return new Map(variables.map((variable) => [variable, solver.value(variable)]));
      this.counts.undecided++;
      return "undecided";
    } finally {
      solver.dispose();
    }
  }
}
