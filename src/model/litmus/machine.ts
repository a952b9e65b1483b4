/**
 * A litmus program on the operational model: program counters and registers around the persistency state of pmem, which
 * does all that concerns memory. Always: `apply` is given only moves that `movesOf` listed for the same state.
 */
import { assert, type Line, type ThreadId } from "../../base/index.ts";
import {
  type BufferEntry,
  canFence,
  canLoad,
  canUpdate,
  copyPmState,
  createPmState,
  departures,
  executeLocked,
  executeMfence,
  failedCasIsLoad,
  issueFlush,
  issueSfence,
  issueStore,
  leave,
  newestBuffered,
  newestVisible,
  type PmModel,
  type PmState,
  type StoreCell,
} from "../pmem/index.ts";
import { evaluate, type Instruction, type Location, type Phase, updatedValue } from "./program.ts";

/** One phase of a test, ready to run from some contents of memory. */
export interface Machine {
  readonly locations: readonly Location[];
  readonly phase: Phase;
  readonly memory: readonly number[];
  readonly model: PmModel;
}

export interface MachineState {
  pm: PmState;
  /** Next instruction, per thread. */
  at: number[];
  registers: number[][];
}

/** Execute the next instruction of a thread (having read `value`, if it reads), or let a buffered operation leave. */
export type Move =
  | { readonly kind: "execute"; readonly thread: ThreadId; readonly value?: number; readonly locked?: boolean }
  | { readonly kind: "leave"; readonly thread: ThreadId; readonly index: number };

export function startMachine({ phase }: Machine): MachineState {
  return {
    pm: createPmState(phase.length),
    at: phase.map(() => 0),
    registers: phase.map(({ initial }) => initial.slice()),
  };
}

export const copyMachineState = (state: MachineState): MachineState => ({
  pm: copyPmState(state.pm),
  at: state.at.slice(),
  registers: state.registers.map((registers) => registers.slice()),
});

export const lineAt = (machine: Machine, location: number): Line => machine.locations[location]?.line as Line;

export function nextInstruction(machine: Machine, state: MachineState, thread: number): Instruction | undefined {
  return machine.phase[thread]?.code[state.at[thread] as number];
}

/** What every thread sees at a location; a thread's own buffer comes before that. */
export function visibleValue(machine: Machine, state: MachineState, location: number): number {
  const store = newestVisible(state.pm, lineAt(machine, location), location);
  return store?.payload ?? (machine.memory[location] as number);
}

export const isFinished = (machine: Machine, state: MachineState): boolean =>
  machine.phase.every(
    ({ code }, thread) => (state.at[thread] as number) >= code.length && state.pm.threads[thread]?.buffer.length === 0,
  );

/** Executing the next instruction of a thread, in every way it can go now. */
export function executions(machine: Machine, state: MachineState, thread: ThreadId): Move[] {
  const instruction = nextInstruction(machine, state, thread);
  if (instruction === undefined) return [];
  const { model } = machine;
  if (instruction.kind === "load") {
    if (!canLoad(state.pm, thread, instruction.location, model)) return [];
    return loadable(machine, state, thread, instruction.location).map((value) => ({ kind: "execute", thread, value }));
  }
  if (instruction.kind === "update") return updates(machine, state, thread, instruction);
  if (instruction.kind === "fence" && instruction.op === "mfence" && !canFence(state.pm, thread, model)) return [];
  return [{ kind: "execute", thread }];
}

export function movesOf(machine: Machine, state: MachineState): Move[] {
  return machine.phase.flatMap((_, index): Move[] => {
    const thread = index as ThreadId;
    const leaving = departures(state.pm, thread, machine.model);
    return [...executions(machine, state, thread), ...leaving.map((index): Move => ({ kind: "leave", thread, index }))];
  });
}

/** PM-3, PM-5. The values a load may return now: exactly one, unless a rule is left out. */
function loadable(machine: Machine, state: MachineState, thread: ThreadId, location: number): number[] {
  const buffered = newestBuffered(state.pm, thread, location, 1);
  if (buffered !== undefined && !machine.model.without.has("PM-3")) return [buffered.payload];
  return machine.model.without.has("PM-5")
    ? onceVisible(machine, state, location)
    : [visibleValue(machine, state, location)];
}

function onceVisible(machine: Machine, state: MachineState, location: number): number[] {
  const log = state.pm.lines.get(lineAt(machine, location))?.log ?? [];
  const stored = log.filter(({ address }) => address === location).map(({ payload }) => payload);
  return [...new Set([machine.memory[location] as number, ...stored])];
}

type Update = Extract<Instruction, { kind: "update" }>;

/** PM-7, PM-9. A locked update executes on visible memory; a failing one may be read as a plain load instead. */
function updates(machine: Machine, state: MachineState, thread: ThreadId, update: Update): Move[] {
  const { model } = machine;
  const registers = state.registers[thread] as number[];
  const succeeds = (value: number) => updatedValue(update, value, registers) !== undefined;
  const moves: Move[] = [];
  if (canUpdate(state.pm, thread, lineAt(machine, update.location), model)) {
    const stale = model.without.has("PM-7");
    const found = stale
      ? onceVisible(machine, state, update.location)
      : [visibleValue(machine, state, update.location)];
    for (const value of found)
      if (succeeds(value) || !failedCasIsLoad(model)) moves.push({ kind: "execute", thread, value, locked: true });
  }
  if (failedCasIsLoad(model))
    for (const value of loadable(machine, state, thread, update.location))
      if (!succeeds(value)) moves.push({ kind: "execute", thread, value, locked: false });
  return moves;
}

const cellOf = (machine: Machine, location: number, payload: number): StoreCell => ({
  line: lineAt(machine, location),
  address: location,
  size: 1,
  payload,
});

/** Makes a move, changing the state. Returns the operation that left a buffer, if that was the move. */
export function apply(machine: Machine, state: MachineState, move: Move): BufferEntry | undefined {
  if (move.kind === "leave") return leave(state.pm, move.thread, move.index, machine.model);
  const { thread } = move;
  const instruction = nextInstruction(machine, state, thread);
  assert(instruction !== undefined, "a move executes an instruction that is there");
  const registers = state.registers[thread] as number[];
  state.at[thread] = (state.at[thread] as number) + 1;
  perform[instruction.kind](machine, state, move, instruction as never, registers);
  return undefined;
}

type Perform<Kind> = (
  machine: Machine,
  state: MachineState,
  move: Extract<Move, { kind: "execute" }>,
  instruction: Extract<Instruction, { kind: Kind }>,
  registers: number[],
) => void;

const perform: { readonly [Kind in Instruction["kind"]]: Perform<Kind> } = {
  store: (machine, state, { thread }, { location, value, nonTemporal }, registers) =>
    issueStore(state.pm, thread, cellOf(machine, location, evaluate(value, registers)), nonTemporal),
  load: (_machine, _state, { value }, { register }, registers) => {
    registers[register] = value as number;
  },
  flush: (machine, state, { thread }, { op, location }) =>
    issueFlush(state.pm, thread, op, lineAt(machine, location), machine.model),
  fence: (machine, state, { thread }, { op }) => {
    if (op === "sfence") issueSfence(state.pm, thread);
    else executeMfence(state.pm, thread, machine.model);
  },
  update: (machine, state, { thread, value, locked }, update, registers) => {
    const written = updatedValue(update, value as number, registers);
    registers[update.register] = value as number;
    if (locked !== true) return;
    const cell = written === undefined ? undefined : cellOf(machine, update.location, written);
    executeLocked(state.pm, thread, lineAt(machine, update.location), cell, machine.model);
  },
  assign: (_machine, _state, _move, { register, value }, registers) => {
    registers[register] = evaluate(value, registers);
  },
  jump: (_machine, state, { thread }, { when, value, target }, registers) => {
    if ((evaluate(value, registers) === 0) === (when === "zero")) state.at[thread] = target;
  },
};
