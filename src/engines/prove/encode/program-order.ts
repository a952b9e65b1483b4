/**
 * Program order that is preserved (ppo), as edges that hold when both ends are executed. Always:
 * - An edge has a condition only for its end: nothing leads to an event that is not executed, so none is part of a cycle.
 * - An edge is left out only where two others stand for it whenever both its ends are executed: through an event on another branch,
 *   order would be lost.
 */
import { type EventKind, type Order, type PmModel, programOrderUnder } from "../../../model/pmem/index.ts";
import { ALWAYS, type GuardedEdge, type Term, type Terms } from "../../../smt/index.ts";
import { linesOf, type ProgramEvent, threadsOf } from "../events/events.ts";
import { type Atoms, NEVER } from "./atoms.ts";

/** What an event may be, and when. */
function kindsOf(terms: Terms, { kind, fails }: ProgramEvent): readonly (readonly [EventKind, Term])[] {
  if (fails === undefined) return [[kind, terms.true]];
  return [
    [kind, terms.not(fails)],
    ["X", fails],
  ];
}

/** When two executed events of a thread stay in order. */
function preserved(terms: Terms, model: PmModel, earlier: ProgramEvent, later: ProgramEvent): Term {
  const when = (order: Order): Term => {
    if (order !== "line") return terms.truth(order === "always");
    if (earlier.place === undefined || later.place === undefined) return terms.false;
    const lines = linesOf(later.place);
    if (!linesOf(earlier.place).some((line) => lines.includes(line))) return terms.false;
    return terms.equal(earlier.place.line, later.place.line);
  };
  const cases = kindsOf(terms, earlier).flatMap(([first, whenFirst]) =>
    kindsOf(terms, later).map(([second, whenSecond]) => ({
      order: when(programOrderUnder(model, first, second)),
      condition: terms.and(whenFirst, whenSecond),
    })),
  );
  if (cases.every(({ order }) => order === cases[0]!.order)) return cases[0]!.order;
  return terms.or(...cases.map(({ order, condition }) => terms.and(order, condition)));
}

const conjuncts = ({ reached }: ProgramEvent): readonly Term[] => (reached.op === "and" ? reached.operands : [reached]);

/** Whether control flow comes by `between` whenever it comes by both others. */
function lies(terms: Terms, between: ProgramEvent, earlier: ProgramEvent, later: ProgramEvent): boolean {
  if (between.reached === terms.true) return true;
  const known = new Set([...conjuncts(earlier), ...conjuncts(later), earlier.reached, later.reached]);
  return known.has(between.reached) || conjuncts(between).every((part) => known.has(part));
}

export function programOrder(
  terms: Terms,
  events: readonly ProgramEvent[],
  executed: (event: ProgramEvent) => Term,
  model: PmModel,
  atoms: Atoms,
): GuardedEdge[] {
  return threadsOf(events).flatMap((thread) => threadOrder(terms, thread, executed, model, atoms));
}

function threadOrder(
  terms: Terms,
  thread: readonly ProgramEvent[],
  executed: (event: ProgramEvent) => Term,
  model: PmModel,
  atoms: Atoms,
): GuardedEdge[] {
  const order = thread.map((earlier, first) =>
    thread.map((later, second) => (first < second ? preserved(terms, model, earlier, later) : terms.false)),
  );
  const stands = (first: number, second: number) =>
    thread
      .slice(first + 1, second)
      .some(
        (between, index) =>
          order[first]![first + 1 + index] === terms.true &&
          order[first + 1 + index]![second] === terms.true &&
          lies(terms, between, thread[first]!, thread[second]!),
      );
  const edges: GuardedEdge[] = [];
  thread.forEach((earlier, first) => {
    thread.forEach((later, second) => {
      const condition = order[first]![second]!;
      if (condition === terms.false || stands(first, second)) return;
      const guards = [atoms.of(executed(later)), atoms.of(condition)];
      const because = guards.filter((guard) => guard !== NEVER && guard !== ALWAYS);
      if (!guards.includes(NEVER)) edges.push({ from: earlier.id, to: later.id, because: because as number[] });
    });
  });
  return edges;
}
