/**
 * All runs of a litmus program on the operational model, each state visited once. With `reduce`, moves that commute with
 * everything others can still do, or whose delay could only rule out crash states, are made at once (docs/MODEL.md,
 * section 5); without it every move is a choice, which is the slow twin the tests compare with. Always:
 * - `crash` is told every state whose crash states no later state repeats: before anything is newly persisted, and at
 *   the end. Under eADR later states repeat nothing, so it is told every state.
 */
import type { BufferEntry } from "../pmem/index.ts";
import { LimitReached, type Limits } from "./limits.ts";
import {
  apply,
  copyMachineState,
  isFinished,
  type Machine,
  type MachineState,
  type Move,
  movesOf,
  nextInstruction,
} from "./machine.ts";
import { forcedMove, laterUses, persistsSomething } from "./reduction.ts";
import { stateKey } from "./state-key.ts";

export interface Step {
  readonly move: Move;
  /** The instruction executed, or the operation that left the buffer. */
  readonly instruction?: string;
  readonly left?: BufferEntry;
}

/** Return true to stop the search. */
export interface Visitor {
  crash(state: MachineState, path: readonly Step[]): boolean;
  end(state: MachineState, path: readonly Step[]): boolean;
}

export interface Search {
  readonly machine: Machine;
  readonly limits: Limits;
  readonly reduce: boolean;
}

/** Calls the visitor for states until it has seen all that matter or stops. Returns how many states were visited. */
export function explore({ machine, limits, reduce }: Search, start: MachineState, visitor: Visitor): number {
  const seen = new Set<string>();
  const path: Step[] = [];
  const later = reduce ? laterUses(machine) : undefined;
  const visibleOnly = machine.model.platform === "eadr" && !machine.model.without.has("PM-32");

  const visit = (state: MachineState): boolean => {
    const depth = path.length;
    if (later !== undefined)
      for (let move = forcedMove(machine, state, later); move !== undefined; move = forcedMove(machine, state, later))
        path.push(take(machine, state, move));
    const stop = visitSettled(state);
    path.length = depth;
    return stop;
  };
  const visitSettled = (state: MachineState): boolean => {
    const key = stateKey(machine, state);
    if (seen.has(key)) return false;
    seen.add(key);
    if (seen.size > limits.states) throw new LimitReached("states", limits.states);
    if (isFinished(machine, state)) return visitor.crash(state, path) || visitor.end(state, path);
    const moves = movesOf(machine, state);
    const persists =
      later === undefined || visibleOnly || moves.some((move) => persistsSomething(machine, state, move));
    if (persists && visitor.crash(state, path)) return true;
    for (const move of moves) {
      const next = copyMachineState(state);
      const step = take(machine, next, move);
      path.push(step);
      if (visit(next)) return true;
      path.pop();
    }
    return false;
  };
  visit(start);
  return seen.size;
}

function take(machine: Machine, state: MachineState, move: Move): Step {
  const instruction = move.kind === "execute" ? nextInstruction(machine, state, move.thread)?.text : undefined;
  const left = apply(machine, state, move);
  return { move, ...(instruction !== undefined && { instruction }), ...(left !== undefined && { left }) };
}
