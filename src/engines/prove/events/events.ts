/**
 * The events of a program with everything that may vary left open, as terms: the event graph of Marmanis and Vafeiadis ("SMT-based
 * verification of persistency invariants of Px86 programs", 2022, section 5.2). Always:
 * - Events are numbered 0..n-1; the initial stores come first, then each thread's events in program order.
 * - What an event finds is a variable of its own: only the memory model restricts it.
 * - Places where a branch was not taken are events too; `reached` is false there.
 */
import type { ThreadId } from "../../../base/index.ts";
import { type EventKind, INITIAL } from "../../../model/pmem/index.ts";
import type { Term, Terms } from "../../../smt/index.ts";

/** Where an access begins; a flush covers its line. */
export interface Place {
  readonly address: Term;
  readonly line: Term;
  /** What the address may be; absent where it is a constant. */
  readonly addresses?: ReadonlySet<bigint>;
}

const lineBits = 6n;

/** The lines that it may be on, as the term for the line has them. */
export const linesOf = ({ line, addresses }: Place): readonly bigint[] =>
  addresses === undefined ? [line.value] : [...new Set([...addresses].map((address) => address >> lineBits))];

/** Part of an access. Two pieces are the same bytes or have none in common, whatever their addresses are. */
export interface Piece {
  readonly place: Place;
  /** What a load finds there. */
  readonly found?: Term;
  /** What a store leaves there. */
  readonly stored?: Term;
}

/** When two pieces are the same bytes. */
export function meet(terms: Terms, a: Place, b: Place): Term {
  const [few, many] = (a.addresses?.size ?? 1) <= (b.addresses?.size ?? 1) ? [a, b] : [b, a];
  const mayBe = (address: bigint) => many.addresses?.has(address) ?? many.address.value === address;
  if (![...(few.addresses ?? [few.address.value])].some(mayBe)) return terms.false;
  return terms.equal(a.address, b.address);
}

/** When an access goes to a line. */
export function isOn(terms: Terms, place: Place, line: bigint): Term {
  const lines = linesOf(place);
  if (!lines.includes(line)) return terms.false;
  return lines.length === 1 ? terms.true : terms.equal(place.line, terms.constant(place.line.sort, line));
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
  /** Where others use some of its bytes and not all; the access is still one. */
  readonly pieces?: readonly Piece[];
  readonly text: string;
}

/** An access that nobody cuts is one piece. */
export const piecesOf = ({ place, found, stored, pieces }: ProgramEvent): readonly Piece[] => {
  if (pieces !== undefined) return pieces;
  if (place === undefined) return [];
  return [{ place, ...(found !== undefined && { found }), ...(stored !== undefined && { stored }) }];
};

/** Recovery reads `place`, which is one piece, and finds `found`. */
export interface RecoveryLoad {
  readonly place: Place;
  readonly found: Term;
  /** Whether recovery comes to it. */
  readonly when: Term;
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
