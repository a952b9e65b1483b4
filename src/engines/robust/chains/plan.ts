/** Robustness with crashes inside recoveries: every state of every chain of crashes, one after another. */

import { assert } from "../../../base/index.ts";
import type { Finding } from "../../../crash/finding/index.ts";
import { type PlannedPoints, planPoints } from "../../../crash/recovery-tree/index.ts";
import { type CrashSource, type CrashStep, crashAt } from "../../../crash/states/index.ts";
import { countStates, type EnumeratedStates, versionsOfStates } from "../../../exploration/nested-crashes/index.ts";
import { happensBeforeIn, LineStores, type MadeStore, PairFacts } from "../../../exploration/persist-order/index.ts";
import type { Platform } from "../../../model/pmem/index.ts";
import { TracedRecoveries } from "../../../session/subject/index.ts";
import {
  type LeadScene,
  type Plan,
  type PlanLimit,
  type PlanLimits,
  type Range,
  RangeQueue,
} from "../../../session/work/index.ts";
import { findingOf, mergedFindings } from "../findings.ts";
import type { ChainPair, ChainResult, ChainSetup } from "./judge.ts";

interface ChainLimits extends PlanLimits {
  readonly platform: Platform;
  readonly depth: number;
  readonly stopAtFirst: boolean;
}

export class ChainPlan implements Plan<ChainSetup, Range, undefined, ChainResult> {
  readonly #scene: LeadScene;
  readonly #platform: Platform;
  readonly #source: CrashSource;
  readonly #enumerated: EnumeratedStates;
  readonly #queue: RangeQueue;
  readonly #pairs: ChainPair[] = [];
  readonly #inOrder = new Set<string>();
  readonly items: number;
  readonly setup: ChainSetup;
  tested = 0;

  readonly #stopAtFirst: boolean;

  constructor(scene: LeadScene, { platform, depth, maxItems, stopAtFirst }: ChainLimits) {
    this.#scene = scene;
    this.#platform = platform;
    this.#stopAtFirst = stopAtFirst;
    const { source, enumerated } = countStates(scene.trace, scene.run.history, platform, {}, "--depth");
    this.#source = source;
    this.#enumerated = enumerated;
    this.items = Math.min(enumerated.states, maxItems);
    this.#queue = new RangeQueue(this.items);
    const { threadOrder } = scene.run;
    this.setup = { enumerated, bases: source.bases.words, operations: source.operations, depth, threadOrder };
  }

  get done(): number {
    return this.#queue.judged.count;
  }
  get found(): number {
    return this.#best().size;
  }
  /** Different things that recoveries read, and stores in their order do not leave. */
  get violating(): number {
    return new Set(this.#pairs.map(({ values }) => values)).size;
  }
  get limit(): PlanLimit | undefined {
    if (!this.#stopAtFirst || this.done >= this.items) return undefined;
    return this.#pairs.some(({ values }) => !this.#inOrder.has(values)) ? "first" : undefined;
  }
  next(items: number): Range | undefined {
    return this.limit === undefined ? this.#queue.next(items) : undefined;
  }
  sizeOf({ from, to }: Range): number {
    return to - from;
  }
  hint(): undefined {
    return undefined;
  }
  versionsOf(range: Range): Iterable<number> {
    return versionsOfStates(this.#enumerated, this.#source, range);
  }

  add(result: ChainResult): void {
    if (!this.#queue.add(result)) return;
    this.tested += result.tested;
    this.#pairs.push(...result.pairs);
    for (const values of result.inOrder) this.#inOrder.add(values);
  }

  get extent() {
    const { points, states } = this.#enumerated;
    const judged = points.filter(({ first, count }) => this.#queue.judged.has({ from: first, to: first + count }));
    // Recoveries that ran, and states of the program's own crashes that are left.
    const statesInAll = this.tested + states - this.done;
    return { points: judged.length, pointsInAll: points.length, states: this.tested, statesInAll };
  }

  // ── Findings ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Of each pair of places the one with the fewest crashes, whether it is an error, and how often it was seen. */
  #best(): ReadonlyMap<string, ChainPair & { readonly isError: boolean; readonly count: number }> {
    const best = new Map<string, ChainPair & { readonly isError: boolean; readonly count: number }>();
    for (const pair of this.#pairs) {
      const key = `${pair.execution === 0} ${pair.places}`;
      const known = best.get(key);
      const isError = !this.#inOrder.has(pair.values) || known?.isError === true;
      const first = known === undefined || pair.steps.length < known.steps.length ? pair : known;
      best.set(key, { ...first, isError, count: 1 + (known?.count ?? 0) });
    }
    return best;
  }

  findings(): readonly Finding[] {
    const traces = new TracedRecoveries(this.#scene.subject, this.#scene.judging.hangLimit);
    const program = planPoints(this.#scene.trace, this.#scene.run.history, this.#platform);
    const found = [...this.#best().values()].map((pair) => {
      const own = pair.execution === 0;
      const planned = own ? program : this.#recovered(program, traces, pair.steps.slice(0, pair.execution));
      const run = { ...this.#scene.run, threadOrder: own ? this.#scene.run.threadOrder : undefined };
      const { trace } = planned.source;
      const scene = own ? this.#scene : { ...this.#scene, trace, run, places: traces.places };
      const stores = new LineStores(planned, happensBeforeIn({ ...run, trace }));
      const finding = findingOf(
        {
          ...pair,
          missing: madeAt(planned, stores, pair.missing),
          kept: madeAt(planned, stores, pair.kept),
          stale: BigInt(`0x${pair.stale}`),
        },
        new PairFacts(scene, planned),
      );
      return told(finding, pair);
    });
    return mergedFindings(found);
  }

  /** The recovery that follows these crashes, with the points inside it. */
  #recovered(program: PlannedPoints, traces: TracedRecoveries, steps: readonly CrashStep[]): PlannedPoints {
    return steps.reduce(({ source }, step) => {
      const crash = crashAt(source, step);
      assert(crash !== undefined, "a chain's cuts are possible where it was found");
      const { trace, history, firstVersion } = traces.trace(crash.layout);
      return planPoints(trace, history, this.#platform, { acknowledged: crash.layout.acknowledged, firstVersion });
    }, program);
  }
}

function madeAt({ stores }: PlannedPoints, made: LineStores, event: number): MadeStore {
  for (let line = 0; line < stores.lines; line++)
    for (let index = 0; index < stores.count(line); index++)
      if (stores.seq(line, index) === event) return made.made(line, index);
  return assert(false, "a pair's stores are events of their trace") as never;
}

/** A flush that recovery lacks is not tried: patches are for the program. */
function told(finding: Finding, { steps, execution }: ChainPair): Finding {
  if (steps.length === 1) return finding;
  const says = `${finding.says}; it takes ${steps.length} power cuts, ${steps.length === 2 ? "the second" : "all but the first"} inside recovery`;
  const { fix: _, ...order } = finding.order!;
  return { ...finding, says, ...(execution > 0 && { order }) };
}
