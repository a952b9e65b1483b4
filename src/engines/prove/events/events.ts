/**
 * The events of a program with everything that may vary left open, as terms: the event graph of Marmanis and Vafeiadis ("SMT-based
 * verification of persistency invariants of Px86 programs", 2022, section 5.2). Always:
 * - Events are numbered 0..n-1; the initial stores come first, then each thread's events in program order.
 * - What an event finds is a variable of its own: only the memory model restricts it.
 * - Places where a branch was not taken are events too; `reached` is false there.
 */
import type { ThreadId } from "../../../base/index.ts";
import { type EventKind, INITIAL } from "../../../model/pmem/index.ts";
import type { Term } from "../../../smt/index.ts";

/** Two accesses meet where their addresses are equal; a flush covers its line. */
export interface Place {
  readonly address: Term;
  readonly line: Term;
}

export interface ProgramEvent {
  readonly id: number;
  readonly thread: ThreadId;
  /** A compare-and-swap is a U, or an X when `fails` holds. */
  readonly kind: EventKind;
  /** Control flow comes by. */
  readonly reached: Term;
  readonly fails?: Term;
  /** Absent for fences. */
  readonly place?: Place;
  /** What a load finds. */
  readonly found?: Term;
  /** What a store leaves. */
  readonly stored?: Term;
  readonly text: string;
}

/** Recovery reads `place` and finds `found`. */
export interface RecoveryLoad {
  readonly place: Place;
  readonly found: Term;
}

export interface EventGraph {
  readonly events: readonly ProgramEvent[];
  readonly recovery: readonly RecoveryLoad[];
}

export const isInitialEvent = ({ thread }: ProgramEvent): boolean => thread === INITIAL;

/** In program order; initial stores stand before everything else and need no order among events of threads. */
export const comesBefore = (a: ProgramEvent, b: ProgramEvent): boolean => a.thread === b.thread && a.id < b.id;

/** Threads in order, each its events in program order. */
export function threadsOf(events: readonly ProgramEvent[]): ProgramEvent[][] {
  const threads: ProgramEvent[][] = [];
  for (const event of events) {
    if (isInitialEvent(event)) continue;
    threads[event.thread] ??= [];
    threads[event.thread]!.push(event);
  }
  return threads.filter((thread) => thread !== undefined);
}
