/**
 * A litmus program as events: each thread's code evaluated forwards over terms, with states joined where jumps meet. Jumps lead
 * forward, so every instruction is evaluated once.
 */
import type { ThreadId } from "../../../base/index.ts";
import type { Expression, Instruction, Location, Phase, Thread } from "../../../model/litmus/index.ts";
import { INITIAL, type PmModel } from "../../../model/pmem/index.ts";
import type { Term, Terms } from "../../../smt/index.ts";
import type { EventGraph, Place, ProgramEvent } from "../events/events.ts";

/** Litmus values are whole numbers of a few digits; this many bits hold every sum that a test makes of them. */
const VALUE_BITS = 32;
const PLACE_BITS = 16;

export interface LitmusProgram extends EventGraph {
  /** What each thread's registers are worth at its end. */
  readonly registers: readonly (readonly Term[])[];
  readonly places: readonly Place[];
}

/** A value of ours as the number that a litmus test means. */
export const litmusValue = (value: bigint): number => Number(BigInt.asIntN(VALUE_BITS, value));

/** Where control may be, and what registers hold there. */
interface State {
  readonly reached: Term;
  readonly registers: readonly Term[];
}

type NewEvent = Omit<ProgramEvent, "id" | "thread">;

interface Evaluation {
  readonly terms: Terms;
  readonly model: PmModel;
  readonly places: readonly Place[];
  readonly emit: (event: NewEvent) => void;
  readonly unknown: () => Term;
}

export function litmusEvents(
  terms: Terms,
  locations: readonly Location[],
  phase: Phase,
  memory: readonly number[],
  model: PmModel,
): LitmusProgram {
  const number = (value: number) => terms.constant(VALUE_BITS, BigInt(value));
  const places = locations.map(({ line }, index) => ({
    address: terms.constant(PLACE_BITS, BigInt(index)),
    line: terms.constant(PLACE_BITS, BigInt(line)),
  }));
  const events: ProgramEvent[] = [];
  const add = (thread: ThreadId, event: NewEvent) => void events.push({ ...event, thread, id: events.length });
  locations.forEach(({ name }, index) => {
    const stored = number(memory[index]!);
    const text = `initially ${name}=${memory[index]}`;
    add(INITIAL, { kind: "W", reached: terms.true, place: places[index]!, stored, text });
  });
  const registers = phase.map((thread, index) =>
    evaluateThread(thread, {
      terms,
      model,
      places,
      emit: (event) => add(index as ThreadId, event),
      unknown: () => terms.variable(VALUE_BITS, `found ${events.length}`),
    }),
  );
  const recovery = places.map((place, index) => ({
    ...{ place, found: terms.variable(VALUE_BITS, `recovered ${index}`), when: terms.true },
  }));
  return { events, recovery, registers, places };
}

function evaluateThread({ code, initial }: Thread, evaluation: Evaluation): readonly Term[] {
  const { terms } = evaluation;
  const start: State = {
    reached: terms.true,
    registers: initial.map((value) => terms.constant(VALUE_BITS, BigInt(value))),
  };
  const states: (State | undefined)[] = [start];
  const arrive = (at: number, state: State) => {
    states[at] = states[at] === undefined ? state : joined(terms, states[at], state);
  };
  code.forEach((instruction, at) => {
    const state = states[at];
    if (state === undefined) return;
    if (instruction.kind === "jump") {
      const zero = terms.equal(worth(evaluation, instruction.value, state), terms.constant(VALUE_BITS, 0n));
      const taken = instruction.when === "zero" ? zero : terms.not(zero);
      arrive(instruction.target, { ...state, reached: terms.and(state.reached, taken) });
      arrive(at + 1, { ...state, reached: terms.and(state.reached, terms.not(taken)) });
    } else arrive(at + 1, { ...state, registers: execute(evaluation, instruction, state) });
  });
  return states[code.length]!.registers;
}

/** Two ways to one place. Only one of them is gone. */
function joined(terms: Terms, a: State, b: State): State {
  return {
    reached: terms.or(a.reached, b.reached),
    registers: a.registers.map((register, index) => terms.choose(a.reached, register, b.registers[index]!)),
  };
}

function worth({ terms }: Evaluation, { constant, terms: parts }: Expression, { registers }: State): Term {
  return parts.reduce(
    (sum, { register, factor }) =>
      terms.compute(
        "add",
        sum,
        terms.compute("multiply", registers[register]!, terms.constant(VALUE_BITS, BigInt(factor))),
      ),
    terms.constant(VALUE_BITS, BigInt(constant)),
  );
}

type Plain = Exclude<Instruction, { kind: "jump" }>;
type Execute<Kind> = (
  evaluation: Evaluation,
  instruction: Extract<Plain, { kind: Kind }>,
  state: State,
) => readonly Term[];

/** Emits the instruction's events; registers afterwards. */
const execute = (evaluation: Evaluation, instruction: Plain, state: State): readonly Term[] =>
  executing[instruction.kind](evaluation, instruction as never, state);

const executing: { readonly [Kind in Plain["kind"]]: Execute<Kind> } = {
  store: (evaluation, { location, value, nonTemporal, text }, state) => {
    const event = { reached: state.reached, place: evaluation.places[location]! };
    const stored = worth(evaluation, value, state);
    evaluation.emit({ ...event, kind: nonTemporal ? "N" : "W", stored, text });
    // PM-28. A non-temporal store is a store and a flush of its line.
    if (nonTemporal && !evaluation.model.without.has("PM-28"))
      evaluation.emit({ ...event, kind: "FO", text: `flush of ${text}` });
    return state.registers;
  },
  load: (evaluation, { register, location, text }, state) => {
    const found = evaluation.unknown();
    evaluation.emit({ kind: "R", reached: state.reached, place: evaluation.places[location]!, found, text });
    return state.registers.with(register, found);
  },
  flush: (evaluation, { op, location, text }, state) => {
    const kind = op === "clflush" ? "FL" : "FO";
    evaluation.emit({ kind, reached: state.reached, place: evaluation.places[location]!, text });
    return state.registers;
  },
  fence: (evaluation, { op, text }, state) => {
    evaluation.emit({ kind: op === "sfence" ? "SF" : "MF", reached: state.reached, text });
    return state.registers;
  },
  update: (evaluation, { op, register, location, expected, operand, text }, state) => {
    const { terms } = evaluation;
    const found = evaluation.unknown();
    const value = worth(evaluation, operand, state);
    const stored = op === "add" ? terms.compute("add", found, value) : value;
    const event = { reached: state.reached, place: evaluation.places[location]!, found, stored, text };
    const equal = op === "compare-exchange" ? terms.equal(found, worth(evaluation, expected, state)) : terms.true;
    evaluation.emit({ ...event, kind: "U", ...(equal !== terms.true && { fails: terms.not(equal) }) });
    return state.registers.with(register, found);
  },
  assign: (evaluation, { register, value }, state) => state.registers.with(register, worth(evaluation, value, state)),
};
