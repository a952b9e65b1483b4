/**
 * Robustness through two power cuts by its definition, chain by chain: recovery runs on every state that a crash leaves, and on every state
 * that a crash inside that recovery leaves; what all of them stored and loaded is held against every choice of prefixes (definition.ts). The
 * slow twin of src/engines/robust/chains; it shares nothing with clocks, intervals and histories. For programs of one thread, and
 * stores that persist whole.
 */

import { type CutLine, type Layout, layoutOf, TraceCursor, verdictFails } from "../../src/crash/states/index.ts";
import { countStates, stateAt } from "../../src/exploration/nested-crashes/index.ts";
import type { TracedLoad } from "../../src/machine/index.ts";
import { TracedRecoveries } from "../../src/session/subject/index.ts";
import type { LeadScene } from "../../src/session/work/index.ts";
import { eventsBetween, type Trace } from "../../src/trace/events/index.ts";
import { isRobust } from "./definition.ts";
import type { Execution, LoadOp, StoreOp } from "./executions.ts";

type Source = ReturnType<typeof countStates>["source"];
type States = ReturnType<typeof countStates>["enumerated"];

/** A byte of the one pool, and the store that it is from. */
type Memory = ReadonlyMap<number, StoreOp | undefined>;

interface PlacedStore {
  readonly event: number;
  readonly op: StoreOp;
}

interface PlacedLoad {
  readonly event: number;
  readonly bytes: readonly number[];
}

/** What one traced execution did to the pool. */
interface Traced {
  readonly source: Source;
  readonly states: States;
  readonly stores: readonly PlacedStore[];
  readonly loads: readonly PlacedLoad[];
}

function tracedOf(
  source: Source,
  states: States,
  trace: Trace,
  loads: readonly TracedLoad[],
  execution: number,
): Traced {
  const cursor = new TraceCursor(source);
  const offsetAt = (event: number, address: number) => cursor.before(event).mappings.at(address)?.offset;
  const stores: PlacedStore[] = [];
  for (const event of eventsBetween(trace, 0, trace.count)) {
    if (event.kind !== "store") continue;
    const address = offsetAt(event.seq, event.address);
    if (address === undefined) continue;
    const { seq, size, value } = event;
    stores.push({ event: seq, op: { kind: "store", execution, thread: 0, address, size, value: Number(value) } });
  }
  const placed = loads.map(({ event, address, size }) => ({
    event,
    bytes: Array.from({ length: size }, (_, i) => offsetAt(event, address + i)).filter((byte) => byte !== undefined),
  }));
  return { source, states, stores, loads: placed };
}

/** Its operations up to an event: what it loads is from its own stores, or from what was there. */
function executionOf({ stores, loads }: Traced, until: number, memory: Memory, number: number): Execution {
  const own = new Map<number, StoreOp>();
  const issued: (StoreOp | LoadOp)[] = [];
  let next = 0;
  const storeBefore = (event: number) => {
    for (; next < stores.length && stores[next]!.event < event; next++) {
      const { op } = stores[next]!;
      issued.push(op);
      for (let i = 0; i < op.size; i++) own.set(op.address + i, op);
    }
  };
  for (const { event, bytes } of loads) {
    if (event > until) break;
    storeBefore(event);
    const reads = bytes.map((byte) => own.get(byte) ?? memory.get(byte));
    if (bytes[0] !== undefined) issued.push({ kind: "load", execution: number, thread: 0, address: bytes[0], reads });
  }
  storeBefore(until);
  return { threads: 1, issued, visible: issued.filter((op) => op.kind === "store") };
}

const lostEvents = (cuts: readonly CutLine[]): ReadonlySet<number> =>
  new Set(cuts.flatMap(({ line, cut }) => line.pending.slice(cut.kept).map(({ seq }) => seq)));

/** What a crash leaves of an execution on what was there. */
function leftBy({ stores }: Traced, until: number, cuts: readonly CutLine[], memory: Memory): Memory {
  const lost = lostEvents(cuts);
  const left = new Map(memory);
  for (const { event, op } of stores)
    if (event < until && !lost.has(event)) for (let i = 0; i < op.size; i++) left.set(op.address + i, op);
  return left;
}

export interface ChainsJudged {
  /** Recoveries that ran. */
  readonly recoveries: number;
  /** Chains of crashes that show recovery what stores in their order do not leave. */
  readonly violating: number;
}

export function judgeChains(scene: LeadScene): ChainsJudged {
  const { trace, run, subject, judging } = scene;
  const traces = new TracedRecoveries(subject, judging.hangLimit, { loads: true });
  const counted = countStates(trace, run.history, "px86", {}, "--depth");
  const program = tracedOf(counted.source, counted.enumerated, trace, [], 0);
  const judged = { recoveries: 0, violating: 0 };

  const follow = (before: readonly Execution[], memory: Memory, layout: Layout, crashes: number) => {
    const { loads, ended, trace: own, history, firstVersion } = traces.trace(layout);
    judged.recoveries++;
    const { source, enumerated } = countStates(
      own,
      history,
      "px86",
      { acknowledged: layout.acknowledged, firstVersion },
      "--depth",
    );
    const traced = tracedOf(source, enumerated, own, loads, crashes);
    const whole = executionOf(traced, Number.POSITIVE_INFINITY, memory, crashes);
    if (!isRobust([...before, whole])) {
      judged.violating++;
      return;
    }
    if (crashes < 2 && !verdictFails(ended.verdict, judging.expectExit)) crash(traced, before, memory, crashes);
  };

  const crash = (traced: Traced, before: readonly Execution[], memory: Memory, crashes: number) => {
    const cursor = new TraceCursor(traced.source);
    for (const { point, count } of traced.states.points)
      for (let number = 0; number < count; number++) {
        const moment = cursor.before(point.seq);
        const cuts = stateAt(moment, number);
        const cutShort = executionOf(traced, point.seq, memory, crashes);
        const layout = layoutOf(traced.source, point, moment, cuts);
        follow([...before, cutShort], leftBy(traced, point.seq, cuts, memory), layout, crashes + 1);
      }
  };
  crash(program, [], new Map(), 0);
  return judged;
}
