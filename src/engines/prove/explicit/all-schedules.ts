/**
 * Functions of a program as threads, gone through explicitly: every state of their code and of the operational model once, with crashes
 * wherever they tell something new. The slow twin of the proof by solver: it shares the lifted instructions with it, and the recovery of
 * what a function returns. Always:
 * - Loads, and stores that leave a buffer, are no choice where no other thread has to do with their line. Who has is learnt: what was
 *   assumed is too little while a thread does something else, and then all is gone through anew.
 */
import type { ThreadId } from "../../../base/index.ts";
import {
  type BufferEntry,
  canFence,
  canLoad,
  canUpdate,
  copyPmState,
  crashWindows,
  createPmState,
  departures,
  executeLocked,
  executeMfence,
  leave,
  type PmModel,
  type PmState,
  raises,
  wouldPersist,
} from "../../../model/pmem/index.ts";
import type { CodeQuestion } from "../code/code-program.ts";
import { CrashJudge, type JudgedCrash } from "./crash-judge.ts";
import { LineUses } from "./line-uses.ts";
import { lineAt, SharedMemory } from "./shared-memory.ts";
import { scheduleKey } from "./state-text.ts";
import { type IssuedOp, type PointStep, type ThreadPoint, ThreadPoints } from "./thread-points.ts";

export interface ExplicitVerdict {
  readonly answer: "safe" | "unsafe" | "no verdict" | "vacuous";
  readonly states: number;
  readonly crashes: number;
  readonly places: readonly { readonly at: number; readonly why: string }[];
  readonly fails?: "a thread" | "recovery";
  /** What happened, in order; of recovery, what it found. */
  readonly moves?: readonly ScheduleMove[];
  readonly found?: JudgedCrash["found"];
}

export interface ScheduleMove {
  readonly thread: ThreadId;
  readonly what: string;
  readonly at?: number;
  readonly address?: number;
  readonly value?: bigint;
}

export interface ExplicitOptions {
  readonly question: Omit<CodeQuestion, "bound">;
  readonly model: PmModel;
  /** States that are gone through at most. */
  readonly states: number;
  /** Without it every move is a choice. */
  readonly reduce: boolean;
  readonly alarm: () => void;
}

interface ScheduleState {
  readonly pm: PmState;
  readonly points: ThreadPoint[];
}

type Move =
  | { readonly kind: "execute"; readonly thread: ThreadId }
  | { readonly kind: "leave"; readonly thread: ThreadId; readonly index: number };

/** What ends the search. */
class Ended {
  readonly verdict: Omit<ExplicitVerdict, "states" | "crashes">;
  constructor(verdict: Ended["verdict"]) {
    this.verdict = verdict;
  }
}

export function allSchedules(options: ExplicitOptions): ExplicitVerdict {
  const { code, port, threads, recover } = options.question;
  const blocks = new Map();
  const points = threads.map((call, thread) => new ThreadPoints(code, port, call, thread, blocks));
  const memory = new SharedMemory((address) => (port.canRead(address, 1) ? port.byteAt(address) : 0), options.model);
  const recovery = new ThreadPoints(code, port, recover, threads.length, blocks);
  for (let uses = new LineUses(threads.length); ; uses = uses.learnt()) {
    const verdict = new Schedules(options, { points, memory, uses, judge: new CrashJudge(recovery, memory) }).run();
    if (verdict.answer === "unsafe" || !uses.hasLearnt) return verdict;
  }
}

interface Parts {
  readonly points: readonly ThreadPoints[];
  readonly memory: SharedMemory;
  readonly uses: LineUses;
  readonly judge: CrashJudge;
}

class Schedules {
  readonly #options: ExplicitOptions;
  readonly #parts: Parts;
  readonly #seen = new Set<string>();
  readonly #path: ScheduleMove[] = [];
  readonly #visibleOnly: boolean;

  constructor(options: ExplicitOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    const { model } = options;
    this.#visibleOnly = model.platform === "eadr" && !model.without.has("PM-32");
  }

  run(): ExplicitVerdict {
    const { judge, points } = this.#parts;
    const state: ScheduleState = { pm: createPmState(points.length), points: [] };
    let ended: Ended["verdict"] | undefined;
    try {
      for (const [thread, { start }] of points.entries()) this.#go(state, thread as ThreadId, start);
      this.#visit(state);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      ended = error.verdict;
    }
    const counts = { states: this.#seen.size, crashes: judge.crashes };
    if (ended !== undefined) return { ...ended, ...counts };
    if (judge.refused !== undefined) return { answer: "no verdict", places: [judge.refused], ...counts };
    return { answer: judge.reaches ? "safe" : "vacuous", places: [], ...counts };
  }

  #visit(state: ScheduleState): void {
    const depth = this.#path.length;
    if (this.#options.reduce) this.#takeForced(state);
    this.#settled(state);
    this.#path.length = depth;
  }

  /** A point that is come to again is left for a choice: a loop that nobody ends would be gone through for ever. */
  #takeForced(state: ScheduleState): void {
    const left = new Set<string>();
    for (let move = this.#forced(state, left); move !== undefined; move = this.#forced(state, left)) {
      if (move.kind === "execute") left.add(`${move.thread} ${state.points[move.thread]!.id}`);
      this.#take(state, move);
    }
  }

  #settled(state: ScheduleState): void {
    const key = scheduleKey(state.pm, state.points, this.#options.model);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#options.alarm();
    if (this.#seen.size > this.#options.states)
      throw new Ended({ answer: "no verdict", places: [{ at: 0, why: `more than ${this.#options.states} states` }] });
    const moves = this.#moves(state);
    const isLast = moves.length === 0 || !this.#options.reduce || this.#visibleOnly;
    if (isLast || moves.some((move) => this.#persists(state, move) || this.#waits(state, move))) this.#crash(state);
    for (const move of moves) {
      const next = { pm: copyPmState(state.pm), points: state.points.slice() };
      const depth = this.#path.length;
      this.#take(next, move);
      this.#visit(next);
      this.#path.length = depth;
    }
  }

  #crash({ pm }: ScheduleState): void {
    const { judge } = this.#parts;
    const failure = judge.failure(crashWindows(pm, this.#options.model));
    if (failure === undefined) return;
    const { why, at, found } = failure;
    throw new Ended({ answer: "unsafe", fails: "recovery", places: [{ why, at }], moves: [...this.#path], found });
  }

  #moves(state: ScheduleState): Move[] {
    return state.points.flatMap((_, index): Move[] => {
      const thread = index as ThreadId;
      const leaving = departures(state.pm, thread, this.#options.model);
      const moves = leaving.map((at): Move => ({ kind: "leave", thread, index: at }));
      return this.#canExecute(state, thread) ? [{ kind: "execute", thread }, ...moves] : moves;
    });
  }

  #canExecute({ pm, points }: ScheduleState, thread: ThreadId): boolean {
    const { model } = this.#options;
    const { next } = points[thread]!;
    if (next.kind === "load") return canLoad(pm, thread, next.address, model);
    if (next.kind === "locked") return canUpdate(pm, thread, lineAt(next.address), model);
    return next.kind === "mfence" && canFence(pm, thread, model);
  }

  /** Whether a move may make anything newly sure to survive, so that a crash just before it has to be looked at. */
  #persists({ pm, points }: ScheduleState, { kind, thread, ...move }: Move): boolean {
    if (this.#options.model.without.size > 0) return true;
    if (kind === "execute") return points[thread]!.next.kind !== "load" && wouldPersist(pm, thread);
    const entry = pm.threads[thread]!.buffer[(move as { index: number }).index]!;
    if (entry.kind === "sfence") return wouldPersist(pm, thread);
    return entry.kind === "clflush" && raises(pm, entry.line, pm.clock);
  }

  /** A load that leads back to its own point: no later state need come. */
  #waits(state: ScheduleState, { kind, thread }: Move): boolean {
    return kind === "execute" && state.points[thread]!.next.kind === "load";
  }

  /** A move that need not be a choice: it commutes with all that others do, and persists nothing. */
  #forced(state: ScheduleState, left: ReadonlySet<string>): Move | undefined {
    for (const index of state.points.keys()) {
      const thread = index as ThreadId;
      if (!left.has(`${thread} ${state.points[index]!.id}`) && this.#isForcedExecution(state, thread))
        return { kind: "execute", thread };
      for (const at of departures(state.pm, thread, this.#options.model))
        if (this.#isForcedDeparture(state, thread, state.pm.threads[thread]!.buffer[at]!))
          return { kind: "leave", thread, index: at };
    }
    return undefined;
  }

  #isForcedExecution(state: ScheduleState, thread: ThreadId): boolean {
    if (!this.#canExecute(state, thread)) return false;
    const { next } = state.points[thread]!;
    if (next.kind === "mfence") return !wouldPersist(state.pm, thread);
    return next.kind === "load" && !this.#parts.uses.othersStore(thread, lineAt(next.address));
  }

  #isForcedDeparture({ pm }: ScheduleState, thread: ThreadId, entry: BufferEntry): boolean {
    const { model } = this.#options;
    if (model.without.size > 0) return false;
    if (entry.kind === "sfence") return !wouldPersist(pm, thread);
    if (entry.kind === "clflush") return !raises(pm, entry.line, pm.clock);
    return model.platform === "px86" && "line" in entry && !this.#parts.uses.othersTouch(thread, entry.line);
  }

  #take(state: ScheduleState, move: Move): void {
    const { pm } = state;
    const { model } = this.#options;
    const { thread } = move;
    if (move.kind === "leave") {
      const entry = leave(pm, thread, move.index, model);
      this.#path.push({ thread, what: leaving[entry.kind], ...this.#cellIn(entry) });
      return;
    }
    const point = state.points[thread]!;
    const { next, at } = point;
    if (next.kind === "mfence") {
      executeMfence(pm, thread, model);
      this.#path.push({ thread, what: "mfence", at });
      this.#go(state, thread, this.#parts.points[thread]!.after(point, 0n));
    } else if (next.kind === "load" || next.kind === "locked") {
      const { address, size } = next;
      const value = this.#parts.memory.load(pm, thread, address, size);
      const step = this.#parts.points[thread]!.after(point, value);
      this.#path.push({ thread, what: next.kind === "load" ? "load" : "update", at, address, value });
      this.#parts.uses.note(thread, lineAt(address), step.updated === undefined ? "touch" : "store");
      if (next.kind === "locked") {
        const cell = step.updated && this.#parts.memory.cellOf(step.updated);
        executeLocked(pm, thread, lineAt(address), cell, model);
      }
      this.#go(state, thread, step);
    }
  }

  #cellIn(entry: BufferEntry): { address?: number; value?: bigint } {
    if (entry.kind !== "store" && entry.kind !== "ntstore") return {};
    return { address: entry.address, value: this.#parts.memory.valueOf(entry) };
  }

  /** To the next point of a thread, with what it puts into its buffer on the way. */
  #go(state: ScheduleState, thread: ThreadId, { point, issued }: PointStep): void {
    const { memory, uses } = this.#parts;
    for (const op of issued) {
      memory.issue(state.pm, thread, op);
      if (op.kind !== "fence") uses.note(thread, lineAt(op.address), op.kind === "store" ? "store" : "touch");
      this.#path.push(moveOf(thread, op));
    }
    state.points[thread] = point;
    const { next, at } = point;
    if (next.kind === "refused") throw new Ended({ answer: "no verdict", places: [{ why: next.why, at }] });
    if (next.kind === "fails")
      throw new Ended({ answer: "unsafe", fails: "a thread", places: [{ why: next.why, at }], moves: [...this.#path] });
  }
}

const leaving: Readonly<Record<BufferEntry["kind"], string>> = {
  store: "the store is visible",
  ntstore: "the store is visible",
  clflush: "clflush takes effect",
  clflushopt: "clflushopt takes effect",
  sfence: "sfence takes effect",
};

function moveOf(thread: ThreadId, op: IssuedOp): ScheduleMove {
  if (op.kind === "store") return { thread, what: "store", at: op.at, address: op.address, value: op.value };
  return { thread, what: op.op, at: op.at, ...(op.kind === "flush" && { address: op.address }) };
}
