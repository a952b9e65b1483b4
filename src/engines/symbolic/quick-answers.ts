/**
 * Answers that need no solver. Always: what is called impossible was tried with every value that there is, and what is answered
 * satisfies every condition.
 */
import { evaluateTerm, type Term } from "../../smt/index.ts";
import type { ByteValues } from "./byte-values.ts";
import type { Model } from "./unknowns.ts";

/** Of several unknown bytes that hang together: the first condition is the new one. */
export interface OpenPart {
  readonly conditions: readonly Term[];
  readonly variables: readonly Term[];
  /** An input for which all but the new condition hold. */
  readonly model: (variable: Term) => bigint;
}

export type QuickAnswer = Model | "impossible" | undefined;

/** More tries than these take longer than the solver does. */
const mostTries = 4096;
const mostModels = 16;

/** One input, seen as it is asked for by conditions one after the other. */
function satisfies({ conditions }: OpenPart, worth: (variable: Term) => bigint): boolean {
  const known = new Map<Term, bigint>();
  return conditions.every((condition) => evaluateTerm(condition, worth, known) === 1n);
}

export class QuickAnswers {
  readonly #values: ByteValues;
  readonly #influence: (term: Term) => ReadonlySet<Term>;
  /** What was answered last, newest first. */
  #models: Model[] = [];

  constructor(values: ByteValues, influence: (term: Term) => ReadonlySet<Term>) {
    this.#values = values;
    this.#influence = influence;
  }

  /** Somebody else's answer. */
  note(answer: Model): void {
    this.#models = [answer, ...this.#models.filter((model) => model !== answer)].slice(0, mostModels);
  }

  answer(part: OpenPart): QuickAnswer {
    return this.#lastModels(part) ?? this.#everyValue(part) ?? this.#oneByteChanged(part);
  }

  #lastModels(part: OpenPart): QuickAnswer {
    for (const model of this.#models) {
      const worth = (variable: Term) => model.get(variable) ?? part.model(variable);
      if (!satisfies(part, worth)) continue;
      this.note(model);
      return answerOf(part, worth);
    }
    return undefined;
  }

  /** Values that conditions on this byte alone leave. */
  #left({ conditions }: OpenPart, variable: Term): readonly number[] {
    return this.#values.common(conditions.filter((condition) => {
      const [only, more] = this.#influence(condition);
      return only === variable && more === undefined;
    })); // biome-ignore format: one idea
  }

  #everyValue(part: OpenPart): QuickAnswer {
    const left = part.variables.map((variable) => this.#left(part, variable));
    const count = left.reduce((product, values) => product * values.length, 1);
    if (count > mostTries) return undefined;
    for (let number = 0; number < count; number++) {
      let rest = number;
      const tried = new Map<Term, bigint>();
      for (const [i, values] of left.entries()) {
        tried.set(part.variables[i]!, BigInt(values[rest % values.length]!));
        rest = Math.floor(rest / values.length);
      }
      if (satisfies(part, (variable) => tried.get(variable)!)) return tried;
    }
    return "impossible";
  }

  /** Of the input at hand; most branches hang on one byte more than others. */
  #oneByteChanged(part: OpenPart): QuickAnswer {
    let tries = 0;
    for (const changed of this.#influence(part.conditions[0]!))
      for (const value of this.#left(part, changed)) {
        if (tries++ === mostTries) return undefined;
        const worth = (variable: Term) => (variable === changed ? BigInt(value) : part.model(variable));
        if (satisfies(part, worth)) return answerOf(part, worth);
      }
    return undefined;
  }
}

const answerOf = ({ variables }: OpenPart, worth: (variable: Term) => bigint): Model =>
  new Map(variables.map((variable) => [variable, worth(variable)]));
