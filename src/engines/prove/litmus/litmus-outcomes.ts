/** Every outcome of a litmus program's phase, one solution after another until there is none. Each is judged by the model again. */
import { assert } from "../../../base/index.ts";
import {
  finalKey,
  type Machine,
  memoryPrinter,
  noOutcomes,
  type PhaseOutcomes,
  type RunPhase,
} from "../../../model/litmus/index.ts";
import { OrderTheory, type Solver, type StartSolver, type Term, Terms } from "../../../smt/index.ts";
import { isStoring } from "../encode/communication.ts";
import { type CrashEncoding, type Encoded, encode } from "../encode/encode.ts";
import { executionOf, judgeAgain } from "../solve/judged.ts";
import { type LitmusProgram, litmusEvents, litmusValue } from "./litmus-events.ts";

export interface SolvedBy {
  readonly start: StartSolver;
  readonly encoding: Exclude<CrashEncoding, "end">;
}

/** An engine for litmus tests, beside those of the models. */
export const provedBy =
  ({ start, encoding }: SolvedBy): RunPhase =>
  (machine) => {
    const outcomes = noOutcomes();
    crashesAnywhere(start, machine, encoding, outcomes);
    crashesAtTheEnd(start, machine, outcomes);
    return outcomes;
  };

export interface EncodedProgram {
  readonly terms: Terms;
  readonly program: LitmusProgram;
  readonly encoded: Encoded;
}

/** Solutions that differ in what is observed, each handed on as the values of that. */
function everySolution(
  start: StartSolver,
  { locations, phase, memory, model }: Machine,
  encoding: CrashEncoding,
  observe: (asked: EncodedProgram) => readonly Term[],
  found: (values: readonly number[]) => void,
): void {
  const terms = new Terms();
  const program = litmusEvents(terms, locations, phase, memory, model);
  const encoded = encode(terms, program, { model, encoding });
  const observed = observe({ terms, program, encoded });
  const solver = start({ theory: new OrderTheory(encoded.problem), atoms: encoded.atoms });
  try {
    for (const constraint of encoded.constraints) solver.assert(constraint);
    while (isSatisfiable(solver)) {
      judgeAgain(executionOf(program, encoded, solver, litmusValue), { encoding, model });
      const values = observed.map((term) => solver.value(term));
      found(values.map(litmusValue));
      const same = observed.map((term, index) => terms.equal(term, terms.constant(term.sort, values[index]!)));
      solver.assert(terms.not(terms.and(...same)));
    }
  } finally {
    solver.dispose();
  }
}

function isSatisfiable(solver: Solver): boolean {
  const answer = solver.check();
  assert(answer !== "unknown", "Z3 decides formulas over booleans and bit vectors when it is given the time");
  return answer === "satisfiable";
}

function crashesAnywhere(start: StartSolver, machine: Machine, encoding: CrashEncoding, { any }: PhaseOutcomes): void {
  const print = memoryPrinter(machine.locations);
  const observe = ({ program }: EncodedProgram) => program.recovery.map(({ found }) => found);
  everySolution(start, machine, encoding, observe, (recovered) => any.set(print(recovered), recovered));
}

/** With the final state that was lost; every final state has such crashes. */
function crashesAtTheEnd(start: StartSolver, machine: Machine, { end, final }: PhaseOutcomes): void {
  const print = memoryPrinter(machine.locations);
  const places = machine.locations.length;
  const observe = (asked: EncodedProgram) => [
    ...asked.program.recovery.map(({ found }) => found),
    ...finalMemory(asked),
    ...asked.program.registers.flat(),
  ];
  everySolution(start, machine, "end", observe, (values) => {
    const [recovered, memory] = [values.slice(0, places), values.slice(places, 2 * places)];
    const left = values.slice(2 * places);
    const registers = machine.phase.map(({ initial }) => left.splice(0, initial.length));
    const state = { memory, registers };
    final.set(finalKey(state), state);
    end.set(`${finalKey(state)}|${print(recovered)}`, { ...state, recovered });
  });
}

/** What the store leaves at each place that no other overwrites. */
export function finalMemory({ terms, program, encoded }: EncodedProgram): Term[] {
  return program.places.map(({ address }) => {
    const stores = program.events.filter((event) => isStoring(event) && event.place!.address === address);
    return stores.slice(1).reduce((value, event) => {
      const later = encoded.overwrites.filter(({ earlier }) => earlier === event);
      const happens = terms.and(event.reached, terms.not(event.fails ?? terms.false));
      const last = terms.and(happens, terms.not(terms.or(...later.map(({ condition }) => condition))));
      return terms.choose(last, event.stored!, value);
    }, stores[0]!.stored!);
  });
}
