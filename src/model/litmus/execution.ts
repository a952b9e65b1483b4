/**
 * One execution of the axiomatic model to show for a check: a consistent one that answers it, or, when there is none,
 * the candidate that comes closest, with the cycle that rules it out.
 */
import {
  addRecoveryReads,
  type Cut,
  copyRelation,
  cutsOf,
  type Graph,
  type PmModel,
  shortestCycle,
} from "../pmem/index.ts";
import { contentsOf, finalMemory, recoveriesOf } from "./axiomatic.ts";
import { type Candidate, enumerateCandidates } from "./candidates.ts";
import { holds } from "./condition.ts";
import { LimitReached } from "./limits.ts";
import type { Check, LitmusTest, Phase } from "./program.ts";
import { machineFor, mayEnter, type RunOptions, runPhases } from "./run.ts";
import { tracesOf } from "./traces.ts";

export interface Execution {
  readonly graph: Graph;
  /** Contents of memory at the start of the phase shown. */
  readonly start: readonly number[];
  readonly cuts: readonly Cut[];
  readonly recovered: ReadonlyMap<number, number>;
  /** Events, and recovery nodes numbered on from them: each ordered before the next, the last before the first. */
  readonly cycle?: readonly number[];
  /** Set when a thread would read or write against its own program order, which needs no cycle to be wrong. */
  readonly incoherent: boolean;
}

/** How many executions that would satisfy the condition are compared, and how many candidates are tried to find them. */
const ENOUGH = 4000;
const EXPLAIN_LIMIT = 300_000;

export function findExecution(test: LitmusTest, check: Check, options: RunOptions): Execution | undefined {
  const phase = test.phases.at(-1) as Phase;
  let best: Execution | undefined;
  for (const start of startsFor(test, check, options)) {
    best = betterOf(best, searchFrom(test, phase, start, check, options, false));
    if (best !== undefined && best.cycle === undefined && !best.incoherent) return best;
  }
  if (best !== undefined) return best;
  for (const start of startsFor(test, check, options))
    best = betterOf(best, searchFrom(test, phase, start, check, options, true));
  return best;
}

/** What the last phase may start from. */
function startsFor(test: LitmusTest, check: Check, options: RunOptions): (readonly number[])[] {
  if (test.phases.length === 1) return [test.locations.map(({ initial }) => initial)];
  const before = { ...test, phases: test.phases.slice(0, -1) };
  const left = runPhases(before, "axiomatic", options).at(-1) ?? [];
  const starts = new Map(left.flatMap(({ outcomes }) => [...outcomes.any]));
  return [...starts.values()].filter((start) => mayEnter(check.entry, start));
}

function searchFrom(
  test: LitmusTest,
  phase: Phase,
  start: readonly number[],
  check: Check,
  { model, limits }: RunOptions,
  all: boolean,
): Execution | undefined {
  const { locations } = machineFor(test, phase, start, model);
  const traces = tracesOf(locations, phase, start, model, limits);
  let best: Execution | undefined;
  let looked = 0;
  const found = (candidate: Candidate) => {
    if (looked > ENOUGH) return;
    for (const execution of answers(candidate, start, check, model)) {
      looked++;
      best = betterOf(best, execution);
      if (looked > ENOUGH) return;
    }
  };
  try {
    enumerateCandidates(traces, {
      locations,
      memory: start,
      model,
      limits: { ...limits, candidates: EXPLAIN_LIMIT },
      all,
      found,
    });
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
  }
  return best;
}

/** The ways a candidate satisfies the condition, each with what is wrong with it. */
function* answers(
  { graph, visible, registers, consistent }: Candidate,
  start: readonly number[],
  check: Check,
  model: PmModel,
): Generator<Execution> {
  const memory = finalMemory(graph, start);
  if (check.at === "final") {
    if (!holds(check.condition, { memory, registers })) return;
    const cycle = shortestCycle(visible);
    yield { graph, start, cuts: [], recovered: new Map(), incoherent: !consistent, ...(cycle && { cycle }) };
    return;
  }
  for (const recovered of recoveriesOf(graph)) {
    const contents = contentsOf(graph, recovered, start);
    if (!holds(check.condition, { recovered: contents, memory, registers })) continue;
    const cuts = cutsOf(graph, recovered, check.at === "end" ? "end" : "observed", model);
    const order = copyRelation(visible);
    addRecoveryReads(order, graph.events.length, cuts);
    const cycle = shortestCycle(order);
    yield { graph, start, cuts, recovered: new Map(recovered), incoherent: !consistent, ...(cycle && { cycle }) };
  }
}

/** Nothing wrong is best, then one short cycle, then incoherence. */
function betterOf(left: Execution | undefined, right: Execution | undefined): Execution | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const badness = ({ cycle, incoherent }: Execution) =>
    (cycle?.length ?? (incoherent ? 1000 : 0)) + (cycle && incoherent ? 100 : 0);
  return badness(right) < badness(left) ? right : left;
}
