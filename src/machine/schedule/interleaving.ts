/**
 * Threads under a schedule: while there are several, whoever runs and what drains is decided between turns, and every decision
 * is noted. Always: with one thread alive nothing differs from a run without a schedule.
 */
import { assert } from "../../base/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { cell, cpuAddress, fast, layout, usedBits, usedByMany } from "../runtime/index.ts";
import { StoreBuffers } from "./buffers.ts";
import { ChanceSchedule } from "./chance.ts";
import type { ScheduleChoice, ScheduleOptions, SchedulePolicy, ThreadTurn } from "./choices.ts";
import { DecidedSchedule } from "./decided.ts";
import type { Meetings } from "./meetings.ts";

export interface InterleavingPorts {
  /** Hands the log over to `take`. */
  drainLog(): void;
  /** Records for the trace. */
  emit(words: Uint32Array): void;
  mapped(): readonly Mapped[];
  /** Where the running thread's stack lies. */
  stack(): Mapped | undefined;
  /** Events in the trace by now. */
  events(): number;
}

interface Mapped {
  readonly start: number;
  readonly end: number;
}

/** Threads' marks in `used` begin anew after so many. */
const marks = 254;

export interface InterleavingOptions {
  readonly schedule?: ScheduleOptions | undefined;
  /** Where it is noted what threads read of each other; then all is watched from the first thread's start to the run's end. */
  readonly meetings?: Meetings | undefined;
}

const policyOf = (options: ScheduleOptions): SchedulePolicy =>
  "seed" in options ? new ChanceSchedule(options.seed) : new DecidedSchedule(options.choices);

export class Interleaving {
  readonly #memory: GuestMemory;
  readonly #ports: InterleavingPorts;
  /** Undefined: threads run in the kernel's own order, without buffers, and are only watched. */
  readonly #policy: SchedulePolicy | undefined;
  readonly #buffers: StoreBuffers;
  readonly #meetings: Meetings | undefined;
  readonly #choices: ScheduleChoice[] = [];
  #turn: { thread: number; instructions: number } | undefined;
  #points: number | undefined;
  #allowed = 1;
  #living = 1;
  #isOn = false;
  /** Threads that have run while this was on. */
  readonly #seen = new Set<number>();

  constructor(memory: GuestMemory, options: InterleavingOptions, ports: InterleavingPorts) {
    this.#memory = memory;
    this.#ports = ports;
    const { schedule, meetings } = options;
    this.#policy = schedule && policyOf(schedule);
    this.#meetings = meetings;
    this.#buffers = new StoreBuffers(memory, (words) => ports.emit(words), {
      meetings,
      unbuffered: schedule === undefined,
    });
  }

  /** All that was decided by now. */
  get choices(): readonly ScheduleChoice[] {
    this.#noteTurn();
    return this.#choices;
  }

  /** Whether the run went as it was decided before. */
  get misfit(): number | undefined {
    return this.#policy instanceof DecidedSchedule ? this.#policy.misfit : undefined;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  threadStarted(thread: number, parent: number): void {
    this.#policy?.started(parent);
    this.#meetings?.follow(thread, parent);
    this.#living++;
  }
  threadWoken(thread: number, by: number): void {
    this.#meetings?.follow(thread, by);
  }
  /** For a thread, to memory that is not persistent. */
  kernelStored(thread: number, address: number, length: number): void {
    this.#meetings?.kernelStored(thread, address, length);
  }
  threadEnded(): void {
    this.#living--;
    assert(this.#living >= 0, "schedule: a thread ends once");
  }

  #set(offset: number, value: number): void {
    this.#memory.view.setUint32(cpuAddress(offset), value, true);
  }

  #switch(on: boolean): void {
    if (on === this.#isOn) return;
    // What is in the log by now was made by one thread.
    if (on) this.#ports.drainLog();
    this.#isOn = on;
    const all = fast.read | fast.write | fast.readAlone;
    const isNoted = this.#meetings !== undefined;
    const countsPoints = this.#policy?.countsPoints ?? false;
    this.#memory.withhold(on ? (countsPoints || isNoted ? all : fast.write) : 0, this.#ports.mapped());
    this.#set(cell.scheduling, on ? 1 : 0);
    this.#set(cell.loads, on && isNoted ? 1 : 0);
    this.#set(cell.points, 0);
    this.#seen.clear();
    if (on) this.#meetings?.begin(this.#ports.events());
    if (!on || !countsPoints) return;
    for (const area of this.#ports.mapped()) this.#mark(area, this.#policy?.suspectsAll ? usedByMany : 0);
  }

  /** Whose the memory is that is there when threads begin, and when a thread does. */
  #mark({ start, end }: Mapped, mark: number): void {
    this.#memory.bytes.fill(mark, layout.used + (start >>> usedBits), layout.used + (end >>> usedBits));
  }

  #begins(thread: number): void {
    const stack = this.#seen.has(thread) ? undefined : this.#ports.stack();
    this.#seen.add(thread);
    if (stack !== undefined && this.#policy?.countsPoints) this.#mark(stack, 0);
  }

  // ── Turns ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** The turn is over: its stores that have not drained are undone, and some that wait, of whatever thread, drain. */
  endTurn(): void {
    if (!this.#isOn) return;
    this.#ports.drainLog();
    this.#noteTurn();
    this.#buffers.end();
    this.#set(cell.points, 0);
    if (this.#living > 1) this.#drainSome();
    else {
      this.#buffers.drainAll();
      // Who is left may still read what the others did.
      if (this.#meetings === undefined) this.#switch(false);
    }
  }

  #drainSome(): void {
    for (const choice of this.#policy?.drains(this.#buffers.waiting) ?? []) {
      this.#buffers.drain(choice);
      this.#choices.push(choice);
    }
  }

  #noteTurn(): void {
    if (this.#turn === undefined) return;
    const { thread, instructions } = this.#turn;
    this.#turn = undefined;
    const last = this.#choices.at(-1);
    const before = last?.kind === "turn" && last.thread === thread ? last.instructions : undefined;
    if (before !== undefined) this.#choices.pop();
    this.#choices.push({ kind: "turn", thread, instructions: instructions + (before ?? 0) } satisfies ThreadTurn);
  }

  /** Who runs next; undefined: not ours to say. */
  choose(ready: readonly number[], yielded: number | undefined) {
    if (this.#living < 2) return undefined;
    this.#switch(true);
    this.#noteTurn();
    if (this.#policy === undefined) return undefined;
    const { thread, instructions, points } = this.#policy.turn(ready, yielded);
    this.#turn = { thread, instructions: 0 };
    this.#points = points;
    return { tid: thread, quantum: instructions };
  }

  beginTurn(thread: number): void {
    if (!this.#isOn) return;
    assert((this.#turn?.thread ?? thread) === thread, "schedule: the thread that was chosen runs");
    this.#ports.drainLog();
    this.#set(cell.threadMark, 1 + (thread % marks));
    this.#begins(thread);
    this.#buffers.begin(thread);
    if (this.#turn !== undefined && this.#points !== undefined) this.#allow(this.#points + 1);
  }

  ran(instructions: number): void {
    if (this.#turn === undefined) return;
    this.#turn.instructions += instructions;
    this.#policy?.ran(instructions);
  }

  /** Before an access that ends the turn; false: first let the instruction be made whose access ended the last one. */
  endsTurn(): boolean {
    if (this.#turn !== undefined && this.#turn.instructions > 0) return true;
    this.#allow(2 * this.#allowed);
    return false;
  }

  /** So many noticeable accesses, and the next one comes after a stop. */
  #allow(accesses: number): void {
    this.#allowed = accesses;
    this.#set(cell.points, accesses + 1);
  }

  // ── Log and kernel ──────────────────────────────────────────────────────────────────────────────────────────

  take(words: Uint32Array): void {
    this.#buffers.take(words);
  }

  /** The running thread enters the kernel; `alone` unless others are interrupted for what it asks. */
  enterKernel(what: "alone" | "all"): void {
    if (!this.#isOn) return;
    this.#ports.drainLog();
    if (what === "all") this.#buffers.drainAll();
    else this.#buffers.drainOwn();
  }

  /** The kernel is about to store to a thread's stack, between turns. */
  interrupt(thread: number): void {
    if (this.#isOn) this.#buffers.drainThread(thread);
  }

  /** The run is over: what waits becomes visible. */
  finish(): void {
    if (!this.#isOn) return;
    this.#ports.drainLog();
    this.#noteTurn();
    this.#buffers.drainAll();
    this.#switch(false);
  }
}
