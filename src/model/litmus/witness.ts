/**
 * A run of the operational model that ends as a condition asks: the steps of every phase, where the power failed, and
 * what survived. Always: replaying the steps gives the state at the crash, and the crash may leave `recovered`.
 */
import { type CrashWindow, crashWindows } from "../pmem/index.ts";
import { type FinalValues, holds } from "./condition.ts";
import { explore, type Step } from "./explore.ts";
import type { Limits } from "./limits.ts";
import { apply, copyMachineState, type Machine, type MachineState, startMachine, visibleValue } from "./machine.ts";
import { crashStates } from "./operational.ts";
import type { Check, LitmusTest, Phase } from "./program.ts";
import { initialMemory, machineFor, mayEnter, type RunOptions, runPhases } from "./run.ts";

export interface WitnessPhase {
  readonly machine: Machine;
  readonly steps: readonly Step[];
  readonly state: MachineState;
  /** Absent when the run ended without a crash. */
  readonly recovered?: readonly number[];
}

export type Witness = readonly WitnessPhase[];

export function findWitness(test: LitmusTest, check: Check, options: RunOptions): Witness | undefined {
  const last = test.phases.length - 1;
  const starts = last === 0 ? [initialMemory(test)] : startsOf(test, last, options);
  for (const start of starts) {
    if (!mayEnter(check.entry, start)) continue;
    const machine = machineFor(test, test.phases[last] as Phase, start, options.model);
    const found = searchPhase(machine, options.limits, check.at, (outcome) => holds(check.condition, outcome));
    if (found !== undefined) return [...leadingTo(test, last, start, options), found];
  }
  return undefined;
}

/** Every content of memory the given phase may start from. */
function startsOf(test: LitmusTest, phase: number, options: RunOptions): (readonly number[])[] {
  const before = { ...test, phases: test.phases.slice(0, phase) };
  const left = runPhases(before, "operational", options).at(-1) ?? [];
  return [...new Map(left.flatMap(({ outcomes }) => [...outcomes.any])).values()];
}

/** Phases before the given one that leave exactly these contents. */
function leadingTo(test: LitmusTest, phase: number, wanted: readonly number[], options: RunOptions): WitnessPhase[] {
  if (phase === 0) return [];
  const starts = phase === 1 ? [initialMemory(test)] : startsOf(test, phase - 1, options);
  for (const start of starts) {
    const machine = machineFor(test, test.phases[phase - 1] as Phase, start, options.model);
    const isWanted = ({ recovered }: FinalValues) => wanted.every((value, location) => recovered?.[location] === value);
    const found = searchPhase(machine, options.limits, "any", isWanted);
    if (found !== undefined) return [...leadingTo(test, phase - 1, start, options), found];
  }
  return [];
}

function searchPhase(
  machine: Machine,
  limits: Limits,
  at: Check["at"],
  accepts: (outcome: FinalValues) => boolean,
): WitnessPhase | undefined {
  let found: WitnessPhase | undefined;
  const keep = (state: MachineState, path: readonly Step[], recovered?: readonly number[]) => {
    found = { machine, steps: path.slice(), state: copyMachineState(state), ...(recovered && { recovered }) };
    return true;
  };
  const crashAccepted = (state: MachineState, final: FinalValues) =>
    crashStates(machine, state).find((recovered) => accepts({ ...final, recovered }));
  explore({ machine, limits, reduce: true }, startMachine(machine), {
    crash: (state, path) => {
      const recovered = at === "any" ? crashAccepted(state, {}) : undefined;
      return recovered !== undefined && keep(state, path, recovered);
    },
    end: (state, path) => {
      const memory = machine.locations.map((_, location) => visibleValue(machine, state, location));
      const final = { memory, registers: state.registers };
      if (at === "final") return accepts(final) && keep(state, path);
      const recovered = at === "end" ? crashAccepted(state, final) : undefined;
      return recovered !== undefined && keep(state, path, recovered);
    },
  });
  return found;
}

/** For each window, how many of its stores survived: the longest prefix that leaves these contents. */
export function survivors(
  { machine, state }: WitnessPhase,
  recovered: readonly number[],
): { window: CrashWindow; survived: number }[] {
  return crashWindows(state.pm, machine.model).map((window) => {
    const fits = (cut: number) => {
      const last = new Map(window.stores.slice(0, cut).map(({ address, payload }) => [address, payload]));
      const touched = new Set(window.stores.map(({ address }) => address));
      return [...touched].every((address) => (last.get(address) ?? machine.memory[address]) === recovered[address]);
    };
    let survived = window.to;
    while (survived > window.from && !fits(survived)) survived--;
    return { window, survived };
  });
}

/** Runs the steps again: what a crash there may leave, and the final state if the run ended. */
export function replay({ machine, steps }: WitnessPhase): { crashes: number[][]; final: FinalValues } {
  const state = startMachine(machine);
  for (const { move } of steps) apply(machine, state, move);
  const memory = machine.locations.map((_, location) => visibleValue(machine, state, location));
  return { crashes: crashStates(machine, state), final: { memory, registers: state.registers } };
}
