/** The checks of litmus tests as questions to the solver: can this outcome come about? */
import type { Check, Condition, LitmusTest, LitmusVerdict, RunOptions } from "../../../model/litmus/index.ts";
import { initialMemory, type Machine, machineFor, mayEnter, runPhases } from "../../../model/litmus/index.ts";
import { type Term, Terms } from "../../../smt/index.ts";
import { type CrashEncoding, encode } from "../encode/encode.ts";
import { ask, type Refutation, type SolverPort } from "../solve/ask.ts";
import type { FoundExecution } from "../solve/judged.ts";
import { litmusEvents, litmusValue } from "./litmus-events.ts";
import { finalMemory, provedBy } from "./litmus-outcomes.ts";

export type AnyCrash = Exclude<CrashEncoding, "end">;

export interface ProvedCheck {
  readonly check: Check;
  readonly verdict: LitmusVerdict;
  /** Of an outcome that is allowed: how it comes about. */
  readonly execution?: FoundExecution;
  /** Of an outcome that is forbidden: one for each state that the last run may start from. */
  readonly refutations: readonly Refutation[];
}

/** What the last run may start from: what crashes in the runs before leave. */
export function lastStarts(
  test: LitmusTest,
  run: RunOptions,
  port: SolverPort,
  encoding: AnyCrash,
): readonly (readonly number[])[] {
  const before = { ...test, phases: test.phases.slice(0, -1) };
  if (before.phases.length === 0) return [initialMemory(test)];
  const left = runPhases(before, provedBy({ start: port.start, encoding }), run).at(-1) ?? [];
  return [...new Map(left.flatMap(({ outcomes }) => [...outcomes.any])).values()];
}

export function proveCheck(
  test: LitmusTest,
  check: Check,
  starts: readonly (readonly number[])[],
  { model }: RunOptions,
  port: SolverPort,
  encoding: AnyCrash,
): ProvedCheck {
  const refutations: Refutation[] = [];
  for (const memory of starts) {
    if (!mayEnter(check.entry, memory)) continue;
    const answered = askOnce(machineFor(test, test.phases.at(-1)!, memory, model), check, port, encoding);
    if (answered.possible) return { check, verdict: "ALLOWED", execution: answered.execution, refutations: [] };
    refutations.push(answered.refutation);
  }
  return { check, verdict: "FORBIDDEN", refutations };
}

function askOnce({ locations, phase, memory, model }: Machine, check: Check, port: SolverPort, any: AnyCrash) {
  const terms = new Terms();
  const program = litmusEvents(terms, locations, phase, memory, model);
  const encoding = check.at === "any" ? any : "end";
  // Without a crash there is no recovery.
  const graph = check.at === "final" ? { ...program, recovery: [] } : program;
  const encoded = encode(terms, graph, { model, encoding });
  const values: Values = {
    ...(check.at !== "final" && { recovered: program.recovery.map(({ found }) => found) }),
    ...(check.at !== "any" && {
      memory: finalMemory({ terms, program, encoded }),
      registers: program.registers,
    }),
  };
  const goal = conditionTerm(terms, check.condition, values);
  return ask({ graph, encoded, options: { model, encoding }, goal, numberOf: litmusValue }, port);
}

interface Values {
  readonly recovered?: readonly Term[];
  readonly memory?: readonly Term[];
  readonly registers?: readonly (readonly Term[])[];
}

/** As `holds` says of values: what there is nothing of equals nothing. */
function conditionTerm(terms: Terms, condition: Condition, values: Values): Term {
  if (condition.kind === "not") return terms.not(conditionTerm(terms, condition.part, values));
  if (condition.kind !== "atom")
    return terms[condition.kind](...condition.parts.map((part) => conditionTerm(terms, part, values)));
  const { atom } = condition;
  const term =
    atom.about === "register" ? values.registers?.[atom.thread]?.[atom.register] : values[atom.about]?.[atom.location];
  return term === undefined ? terms.false : terms.equal(term, terms.constant(term.sort, BigInt(atom.value)));
}
