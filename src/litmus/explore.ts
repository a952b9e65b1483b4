/**
 * All runs of a litmus program on the operational model, each state visited once. With `reduce`, moves that commute with
 * everything others can still do, or whose delay could only rule out crash states, are made at once (docs/MODEL.md,
 * section 5); without it every move is a choice, which is the slow twin the tests compare with. Always:
 * - `crash` is told every state whose crash states no later state repeats: before anything is newly persisted, and at
 *   the end. Under eADR later states repeat nothing, so it is told every state.
 */
import type { ThreadId } from "../base/index.ts";
import { type BufferEntry, countUpTo, departures, raises, wouldPersist } from "../pmem/index.ts";
import { LimitReached, type Limits } from "./limits.ts";
import {
  apply,
  copyMachineState,
  executions,
  isFinished,
  lineAt,
  type Machine,
  type MachineState,
  type Move,
  movesOf,
  nextInstruction,
  visibleValue,
} from "./machine.ts";

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
  const mergeOrder = machine.model.platform === "strict" || machine.model.without.has("PM-25");
  const visibleOnly = machine.model.platform === "eadr" && !machine.model.without.has("PM-32");

  const visit = (state: MachineState): boolean => {
    const depth = path.length;
    if (later !== undefined) settle(machine, state, later, visibleOnly || mergeOrder, path);
    const stop = visitSettled(state);
    path.length = depth;
    return stop;
  };
  const visitSettled = (state: MachineState): boolean => {
    const key = keyOf(machine, state, visibleOnly, mergeOrder);
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

/** Whether a move may make anything newly sure to survive, so that a crash just before it has to be looked at. */
function persistsSomething(machine: Machine, state: MachineState, move: Move): boolean {
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
interface LaterUses {
  readonly stores: readonly (readonly ReadonlySet<number>[])[];
  readonly lines: readonly (readonly ReadonlySet<number>[])[];
}

function laterUses(machine: Machine): LaterUses {
  const suffixes = (pick: (thread: number, index: number) => number | undefined) =>
    machine.phase.map(({ code }, thread) => {
      const sets: Set<number>[] = [new Set()];
      for (let index = code.length - 1; index >= 0; index--) {
        const used = pick(thread, index);
        sets.unshift(used === undefined ? (sets[0] as Set<number>) : new Set([...(sets[0] as Set<number>), used]));
      }
      return sets;
    });
  const at = (thread: number, index: number) => machine.phase[thread]?.code[index];
  return {
    stores: suffixes((thread, index) => {
      const instruction = at(thread, index);
      return instruction?.kind === "store" || instruction?.kind === "update" ? instruction.location : undefined;
    }),
    lines: suffixes((thread, index) => {
      const instruction = at(thread, index);
      return instruction !== undefined && "location" in instruction ? lineAt(machine, instruction.location) : undefined;
    }),
  };
}

/** Makes every move that need not be a choice, until only choices are left. */
function settle(machine: Machine, state: MachineState, later: LaterUses, orderIsVisible: boolean, path: Step[]): void {
  for (let progress = true; progress; ) {
    progress = false;
    for (let thread = 0 as ThreadId; thread < machine.phase.length; thread++) {
      for (let move = forcedMove(machine, state, later, orderIsVisible, thread as ThreadId); move !== undefined; ) {
        path.push(take(machine, state, move));
        progress = true;
        move = forcedMove(machine, state, later, orderIsVisible, thread as ThreadId);
      }
    }
  }
}

function forcedMove(
  machine: Machine,
  state: MachineState,
  later: LaterUses,
  orderIsVisible: boolean,
  thread: ThreadId,
): Move | undefined {
  const instruction = nextInstruction(machine, state, thread);
  const isLocal =
    instruction !== undefined &&
    (instruction.kind === "load"
      ? !othersStore(machine, state, later, thread, instruction.location)
      : instruction.kind !== "update" &&
        !(instruction.kind === "fence" && wouldPersist(state.pm, thread) && instruction.op === "mfence"));
  if (isLocal) {
    const [move, other] = executions(machine, state, thread);
    if (move !== undefined && other === undefined) return move;
  }
  for (const index of departures(state.pm, thread, machine.model)) {
    const move: Move = { kind: "leave", thread, index };
    const entry = state.pm.threads[thread]?.buffer[index] as BufferEntry;
    const isStore = entry.kind === "store" || entry.kind === "ntstore";
    if (
      isStore
        ? !orderIsVisible && !othersTouch(machine, state, later, thread, entry.line)
        : !persistsSomething(machine, state, move)
    )
      return move;
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

function othersTouch(machine: Machine, state: MachineState, later: LaterUses, own: ThreadId, line: number): boolean {
  return machine.phase.some((_, thread) => {
    if (thread === own) return false;
    if (later.lines[thread]?.[state.at[thread] as number]?.has(line)) return true;
    return (state.pm.threads[thread]?.buffer ?? []).some((entry) => "line" in entry && entry.line === line);
  });
}

/** Two states with the same key have the same futures and the same crash states. */
function keyOf(machine: Machine, state: MachineState, visibleOnly: boolean, mergeOrder: boolean): string {
  const { pm } = state;
  const upTo = (line: BufferEntry & { line: number; covers: number }) => {
    const log = pm.lines.get(line.line as never)?.log ?? [];
    return countUpTo(log, line.covers as never);
  };
  const parts: (string | number)[] = [];
  pm.threads.forEach(({ buffer, pending }, thread) => {
    parts.push(state.at[thread] as number, ...(state.registers[thread] as number[]), "b");
    for (const entry of buffer) {
      if (entry.kind === "sfence") parts.push("s");
      else if (entry.kind === "clflush") parts.push("l", entry.line);
      else if (entry.kind === "clflushopt") parts.push("o", entry.line, visibleOnly ? 0 : upTo(entry));
      else parts.push(entry.kind === "store" ? "w" : "n", entry.address, entry.payload);
    }
    parts.push("p");
    if (visibleOnly) return;
    const promised = new Map<number, number>();
    for (const { line, covers } of pending) {
      const count = countUpTo(pm.lines.get(line)?.log ?? [], covers);
      promised.set(line, Math.max(count, promised.get(line) ?? 0));
    }
    for (const [line, count] of [...promised].sort((a, b) => a[0] - b[0])) parts.push(line, count);
  });
  if (visibleOnly) parts.push("m", ...machine.locations.map((_, location) => visibleValue(machine, state, location)));
  else
    for (const [line, { log, persisted }] of [...pm.lines].sort((a, b) => a[0] - b[0])) {
      parts.push("L", line, countUpTo(log, persisted));
      for (const store of log) parts.push(mergeOrder ? store.seq : "", store.address, store.payload);
    }
  return parts.join(" ");
}
