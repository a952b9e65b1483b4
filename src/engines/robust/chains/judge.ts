/**
 * Crashes inside recoveries, one state after another: every recovery is traced with its loads, and judged load by load against all executions
 * before it (PSan, section 4.4). Always: a load counts only where the power was not cut before it, and a chain that is violated is not
 * cut again: what follows from a violation is none of its own.
 */

import { addWord, digestText, newDigest } from "../../../base/index.ts";
import {
  BaseLines,
  type CrashSource,
  type CrashStep,
  type CutLine,
  type Layout,
  layoutOf,
  TraceCursor,
  verdictFails,
} from "../../../crash/states/index.ts";
import {
  countStates,
  type EnumeratedStates,
  pointOf,
  stateAt,
  stepOf,
} from "../../../exploration/nested-crashes/index.ts";
import type { ThreadOrder } from "../../../machine/index.ts";
import { TracedRecoveries } from "../../../session/subject/index.ts";
import type { Judge, Range, Scene, UnitResult } from "../../../session/work/index.ts";
import { StoreHistory } from "../history.ts";
import { CrashIntervals, type Observation, type Violation } from "../intervals.ts";
import { asKept, ByteNumbers, ChainExecution, type ChainStore, lostBy } from "./executions.ts";

export interface ChainSetup {
  readonly enumerated: EnumeratedStates;
  readonly bases: Uint32Array;
  readonly operations: Uint32Array;
  /** Crashes in all. */
  readonly depth: number;
  readonly threadOrder: ThreadOrder | undefined;
}

/** A pair of stores out of order, as plain data. */
export interface ChainPair {
  readonly reading: Violation<unknown>["reading"];
  /** The crashes before the execution that has both, and all that show it. */
  readonly execution: number;
  readonly steps: readonly CrashStep[];
  /** Events of that execution, and where they are in the code. */
  readonly missing: number;
  readonly kept: number;
  readonly places: string;
  /** What was read in place of the missing store, as a hexadecimal number. */
  readonly stale: string;
  /** What all recoveries read, in short. */
  readonly values: string;
}

export interface ChainResult extends UnitResult<Range> {
  readonly pairs: readonly ChainPair[];
  /** What recoveries read where nothing was out of order. */
  readonly inOrder: readonly string[];
}

type Memory = ReadonlyMap<number, ChainStore>;

/** What crashes have left, and what was seen of it. */
interface Chain {
  readonly executions: readonly ChainExecution[];
  readonly history: StoreHistory<ChainStore>;
  readonly memory: Memory;
  readonly seen: readonly Observation<ChainStore>[];
  readonly steps: readonly CrashStep[];
  readonly values: string;
}

interface SeenAt extends Observation<ChainStore> {
  readonly event: number;
  readonly byte: number;
}

export class ChainJudge implements Judge<Range, undefined, ChainResult> {
  readonly #setup: ChainSetup;
  readonly #scene: Scene;
  readonly #source: CrashSource;
  readonly #traces: TracedRecoveries;
  readonly #cursor: TraceCursor;
  readonly #bytes = new ByteNumbers();
  readonly #program: ChainExecution;
  #pairs: ChainPair[] = [];
  #inOrder = new Set<string>();
  #tested = 0;

  constructor(setup: ChainSetup, scene: Scene) {
    const { trace, versions, subject, judging } = scene;
    this.#setup = setup;
    this.#scene = scene;
    this.#source = { trace, versions, bases: new BaseLines(setup.bases), operations: setup.operations };
    this.#traces = new TracedRecoveries(subject, judging.hangLimit, { loads: true });
    this.#cursor = new TraceCursor(this.#source);
    this.#program = new ChainExecution({ source: this.#source, threadOrder: setup.threadOrder }, 0, this.#bytes);
  }

  judge({ from, to }: Range, _hint: undefined, stopped: () => boolean): ChainResult {
    this.#pairs = [];
    this.#inOrder = new Set();
    this.#tested = 0;
    let state = from;
    for (; state < to && !stopped(); state++) {
      const { point, first } = pointOf(this.#setup.enumerated, state);
      const moment = this.#cursor.before(point.seq);
      const cuts = stateAt(moment, state - first);
      const layout = layoutOf(this.#source, point, moment, cuts);
      const none = { executions: [], memory: new Map(), seen: [], steps: [], values: "" };
      const step = stepOf(point, moment, cuts);
      this.#follow(crashed({ ...none, history: new StoreHistory() }, this.#program, point.seq, cuts, step), layout);
    }
    const rest = state < to ? { rest: { from: state, to } } : {};
    const inOrder = [...this.#inOrder];
    return { unit: { from, to: state }, ...rest, tested: this.#tested, pairs: this.#pairs, inOrder };
  }

  /** Recovery on what the chain left: all of it, then cut wherever it can be. */
  #follow(chain: Chain, layout: Layout): void {
    const { loads, ended, trace, history, firstVersion } = this.#traces.trace(layout);
    this.#tested++;
    const before = { acknowledged: layout.acknowledged, firstVersion };
    const { platform, expectExit } = this.#scene.judging;
    const { source, enumerated } = countStates(trace, history, platform, before, "--depth");
    const execution = new ChainExecution({ source, loads }, chain.executions.length, this.#bytes);
    const seen = [...observations(chain, execution)];
    const valueAt = this.#bytes.in(layout);
    const values = `${chain.values}/${valuesOf(seen, valueAt)}`;
    if (this.#report(chain, seen, values, valueAt)) return;
    this.#inOrder.add(values);
    if (chain.steps.length >= this.#setup.depth || verdictFails(ended.verdict, expectExit)) return;
    const cursor = new TraceCursor(source);
    for (const { point, count } of enumerated.points)
      for (let number = 0; number < count; number++) {
        const moment = cursor.before(point.seq);
        const cuts = stateAt(moment, number);
        const earlier = seen.filter(({ event }) => event <= point.seq);
        const so = {
          ...chain,
          seen: [...chain.seen, ...earlier],
          values: `${chain.values}/${valuesOf(earlier, valueAt)}`,
        };
        const left = crashed(so, execution, point.seq, cuts, stepOf(point, moment, cuts));
        this.#follow(left, layoutOf(source, point, moment, cuts));
      }
  }

  /** Whether what was read is out of order. */
  #report(
    { seen: before, steps }: Chain,
    seen: readonly SeenAt[],
    values: string,
    valueAt: (byte: number) => number,
  ): boolean {
    const intervals = new CrashIntervals<ChainStore>();
    for (const observation of before) intervals.observe(observation);
    let isViolated = false;
    for (const observation of seen) {
      for (const { reading, missing, kept } of intervals.violations(observation)) {
        isViolated = true;
        this.#pairs.push({
          reading,
          execution: missing.execution,
          steps,
          missing: missing.event,
          kept: kept.event,
          places: `${missing.place} ${kept.place}`,
          stale: numberAt(missing, valueAt),
          values,
        });
      }
      if (!isViolated) intervals.observe(observation);
    }
    return isViolated;
  }
}

/** One more crash, before this event of the last execution. */
function crashed(
  chain: Chain,
  execution: ChainExecution,
  until: number,
  cuts: readonly CutLine[],
  step: CrashStep,
): Chain {
  const lost = lostBy(cuts);
  const executions = [...chain.executions, execution];
  const history = new StoreHistory<ChainStore>();
  const memory = new Map(chain.memory);
  const ends = [...chain.steps.map(({ before }) => before), until];
  for (const [at, { stores }] of executions.entries())
    for (const store of stores) if (store.event < ends[at]!) history.add(store);
  for (const store of execution.stores)
    if (store.event < until && !lost.has(store.event))
      for (let i = 0; i < store.size; i++) memory.set(store.address + i, store);
  return { ...chain, executions, history, memory, steps: [...chain.steps, step] };
}

/** Of each byte that a recovery loads and has not stored itself. */
function* observations({ history, memory }: Chain, { loads, stores, number }: ChainExecution): Iterable<SeenAt> {
  const own = new Set<number>();
  let next = 0;
  for (const { event, bytes } of loads) {
    for (; next < stores.length && stores[next]!.event < event; next++)
      for (let i = 0; i < stores[next]!.size; i++) own.add(stores[next]!.address + i);
    for (const byte of bytes) {
      if (own.has(byte)) continue;
      const store = memory.get(byte);
      yield { event, byte, store: store && asKept(store), next: history.next(byte, store, number) };
    }
  }
}

/** Values, not stores: what a recovery can tell apart. */
function valuesOf(seen: readonly SeenAt[], valueAt: (byte: number) => number): string {
  const digest = newDigest();
  for (const { byte } of seen) {
    addWord(digest, byte % 2 ** 31);
    addWord(digest, valueAt(byte));
  }
  return digestText(digest);
}

const numberAt = ({ address, size }: ChainStore, valueAt: (byte: number) => number): string =>
  Array.from({ length: size }, (_, i) =>
    valueAt(address + i)
      .toString(16)
      .padStart(2, "0"),
  )
    .reverse()
    .join("");
