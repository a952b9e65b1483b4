/**
 * One way through the program: the conditions on unknown input under which it is taken, in the order in which they were met. Always:
 * - All hold for the input at hand.
 * - Inputs that satisfy all of them take the same way, and leave the machine in the same state but for what the shadow says.
 */
import { assert } from "../../base/index.ts";
import { type Assignment, evaluateTerm, isConstant, type Term, type Terms } from "../../smt/index.ts";
import type { Value } from "./value.ts";
import type { WindowFacts } from "./window.ts";

/** Conditions as a list that paths with the same beginning share. */
export interface Conditions {
  readonly term: Term;
  readonly before: Conditions | undefined;
  readonly count: number;
}

export function* eachCondition(conditions: Conditions | undefined): Iterable<Term> {
  for (let at = conditions; at !== undefined; at = at.before) yield at.term;
}

/** Why a condition was met. */
export type DecisionKind = "branch" | "value";

export interface Decision {
  readonly kind: DecisionKind;
  /** The instruction. */
  readonly site: number;
  readonly condition: Term;
  /** Where a value was fixed: what it is a value of. */
  readonly of: Term | undefined;
}

/** Told of each decision that the path made for the first time; `before` are the conditions up to it. */
export type WhenDecided = (decision: Decision, before: Conditions | undefined) => void;

/** What paths of one exploration share. */
export interface PathTools {
  readonly terms: Terms;
  /** Unknown bytes that a term depends on. */
  unknownsOf(term: Term): ReadonlySet<Term>;
  /** Of a condition on one unknown byte: values for which it holds. */
  valuesOf(condition: Term): ReadonlySet<number>;
}

export class Path {
  readonly windowFacts: WindowFacts;
  readonly #terms: Terms;
  readonly #assignment: Assignment;
  readonly #whenDecided: WhenDecided;
  readonly #unknownsOf: PathTools["unknownsOf"];
  readonly #met: Set<Term>;
  readonly #narrow = new Map<Term, readonly Term[]>();
  /** What terms are worth under the input at hand. */
  readonly #worth = new Map<Term, bigint>();
  conditions: Conditions | undefined;
  /** The instruction that decides now. */
  site = 0;

  constructor(
    { terms, unknownsOf, valuesOf }: PathTools,
    conditions: Conditions | undefined,
    assignment: Assignment,
    whenDecided: WhenDecided,
  ) {
    this.#terms = terms;
    this.windowFacts = {
      terms,
      unknownsOf,
      allows: (unknown, value) =>
        (this.#narrow.get(unknown) ?? []).every((condition) => valuesOf(condition).has(value)),
    };
    this.#assignment = assignment;
    this.#whenDecided = whenDecided;
    this.conditions = conditions;
    this.#met = new Set(eachCondition(conditions));
    this.#unknownsOf = unknownsOf;
    for (const condition of this.#met) this.#note(condition);
  }

  /** Conditions on one unknown byte are at hand by that. */
  #note(condition: Term): void {
    const [unknown, more] = this.#unknownsOf(condition);
    if (unknown === undefined || more !== undefined) return;
    this.#narrow.set(unknown, [...(this.#narrow.get(unknown) ?? []), condition]);
  }

  worth(term: Term): bigint {
    return evaluateTerm(term, this.#assignment, this.#worth);
  }

  /** The machine went the way that this condition says; a path with the opposite is another. */
  branch(condition: Term): void {
    this.#meet({ kind: "branch", site: this.site, condition, of: undefined });
  }

  /** The value is what it is now, from here on. */
  fix({ bits, term }: Value): void {
    if (term === undefined) return;
    const condition = this.#terms.equal(term, this.#terms.constant(term.sort, bits!));
    this.#meet({ kind: "value", site: this.site, condition, of: term });
  }

  #meet(decision: Decision): void {
    const { condition } = decision;
    assert(this.worth(condition) === 1n, "symbolic: what the machine did is what the terms say it did");
    if (isConstant(condition) || this.#met.has(condition)) return;
    const before = this.conditions;
    this.#met.add(condition);
    this.#note(condition);
    this.conditions = { term: condition, before, count: (before?.count ?? 0) + 1 };
    this.#whenDecided(decision, before);
  }
}
