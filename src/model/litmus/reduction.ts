/**
 * Moves that need not be a choice (docs/MODEL.md, section 5): they commute with everything other threads can still do, or
 * making them later could only rule out crash states. Always: a forced move persists nothing new.
 */
import type { Line, ThreadId } from "../../base/index.ts";
import { type BufferEntry, departures, raises, wouldPersist } from "../pmem/index.ts";
import { executions, lineAt, type Machine, type MachineState, type Move, nextInstruction } from "./machine.ts";
import type { Instruction } from "./program.ts";

/** Whether a move may make anything newly sure to survive, so that a crash just before it has to be looked at. */
export function persistsSomething(machine: Machine, state: MachineState, move: Move): boolean {
  if (machine.model.without.size > 0) return true;
  if (move.kind === "execute") {
    const kind = nextInstruction(machine, state, move.thread)?.kind;
    return (kind === "fence" || kind === "update") && wouldPersist(state.pm, move.thread);
  }
  const entry = state.pm.threads[move.thread]?.buffer[move.index];
  if (entry?.kind === "sfence") return wouldPersist(state.pm, move.thread);
  return entry?.kind === "clflush" && raises(state.pm, entry.line, state.pm.clock);
}

/** Which locations each thread may still store to, and which lines it may still touch, from each instruction on. */
export interface LaterUses {
  readonly stores: readonly (readonly ReadonlySet<number>[])[];
  readonly lines: readonly (readonly ReadonlySet<Line>[])[];
}

export function laterUses(machine: Machine): LaterUses {
  const suffixes = <Used>(pick: (instruction: Instruction) => Used | undefined): Set<Used>[][] =>
    machine.phase.map(({ code }) => {
      let used = new Set<Used>();
      const sets = [used];
      for (const instruction of code.toReversed()) {
        const picked = pick(instruction);
        if (picked !== undefined) used = new Set([...used, picked]);
        sets.unshift(used);
      }
      return sets;
    });
  return {
    stores: suffixes((instruction) =>
      instruction.kind === "store" || instruction.kind === "update" ? instruction.location : undefined,
    ),
    lines: suffixes((instruction) => ("location" in instruction ? lineAt(machine, instruction.location) : undefined)),
  };
}

/** The first move, thread by thread, that can be made at once; undefined when only choices are left. */
export function forcedMove(machine: Machine, state: MachineState, later: LaterUses): Move | undefined {
  for (let index = 0; index < machine.phase.length; index++) {
    const thread = index as ThreadId;
    const move = forcedExecution(machine, state, later, thread) ?? forcedDeparture(machine, state, later, thread);
    if (move !== undefined) return move;
  }
  return undefined;
}

function forcedExecution(machine: Machine, state: MachineState, later: LaterUses, thread: ThreadId): Move | undefined {
  const instruction = nextInstruction(machine, state, thread);
  if (instruction === undefined || instruction.kind === "update") return undefined;
  if (instruction.kind === "load" && othersStore(machine, state, later, thread, instruction.location)) return undefined;
  const isMfence = instruction.kind === "fence" && instruction.op === "mfence";
  if (isMfence && wouldPersist(state.pm, thread)) return undefined;
  return executions(machine, state, thread)[0];
}

function forcedDeparture(machine: Machine, state: MachineState, later: LaterUses, thread: ThreadId): Move | undefined {
  const orderIsVisible = machine.model.platform !== "px86";
  for (const index of departures(state.pm, thread, machine.model)) {
    const move: Move = { kind: "leave", thread, index };
    const entry = state.pm.threads[thread]?.buffer[index] as BufferEntry;
    const isStore = entry.kind === "store" || entry.kind === "ntstore";
    const mustChoose = isStore
      ? orderIsVisible || othersTouch(machine, state, later, thread, entry.line)
      : persistsSomething(machine, state, move);
    if (!mustChoose) return move;
  }
  return undefined;
}

function othersStore(
  machine: Machine,
  state: MachineState,
  later: LaterUses,
  own: ThreadId,
  location: number,
): boolean {
  return machine.phase.some((_, thread) => {
    if (thread === own) return false;
    if (later.stores[thread]?.[state.at[thread] as number]?.has(location)) return true;
    const buffer = state.pm.threads[thread]?.buffer ?? [];
    return buffer.some((entry) => "address" in entry && entry.address === location);
  });
}

function othersTouch(machine: Machine, state: MachineState, later: LaterUses, own: ThreadId, line: Line): boolean {
  return machine.phase.some((_, thread) => {
    if (thread === own) return false;
    if (later.lines[thread]?.[state.at[thread] as number]?.has(line)) return true;
    return (state.pm.threads[thread]?.buffer ?? []).some((entry) => "line" in entry && entry.line === line);
  });
}
