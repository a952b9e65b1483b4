/**
 * The failure points of a trace with their crash states numbered through, in the order of the trace. Always:
 * - A state's number means the same crash for everybody who has the trace: work is split and taken up again by numbers.
 * - A table is words in one array, so that threads can share them.
 */
import { assert } from "../../base/index.ts";
import {
  BaseLines,
  type CrashSource,
  CrashWalk,
  type FailurePoint,
  type FileVersions,
  type Granularity,
  operationEnds,
  type ReadLine,
  statesAt,
} from "../../crash/index.ts";
import { codeOf, kindOf, replay, type Trace } from "../../trace/index.ts";

const planWords = 6;
/** The code for "end", which is no event's. */
const endCode = 0xff;
const wordLimit = 2 ** 32;

export class StateTable {
  /** Of each point: its event, kind, thread, site, stack, and the number of its first state. */
  readonly words: Uint32Array;
  /** Crash states in all. */
  readonly states: number;

  constructor(words: Uint32Array, states: number) {
    this.words = words;
    this.states = states;
  }

  get points(): number {
    return this.words.length / planWords;
  }

  point(index: number): FailurePoint {
    const at = index * planWords;
    const [seq, code, thread, site, stack] = this.words.subarray(at, at + planWords) as unknown as number[];
    const before = code === endCode ? "end" : kindOf(code!)!;
    return { seq: seq!, before, thread: thread!, site: site!, stack: stack! };
  }

  /** The number of a point's first state. */
  first(index: number): number {
    return index === this.points ? this.states : this.words[index * planWords + planWords - 1]!;
  }

  /** The point that a state is of. */
  pointOf(state: number): number {
    let [low, high] = [0, this.points - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.first(middle) <= state) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

export interface PlanOptions {
  readonly granularity: Granularity;
  readonly allPoints: boolean;
  readonly readLine: ReadLine;
  readonly versions: FileVersions;
}

/** What everybody who judges crash states of a trace needs. */
export interface InjectSource extends CrashSource {
  readonly table: StateTable;
}

/** One walk over the trace, in which no recovery runs. */
export function planStates(trace: Trace, { granularity, allPoints, readLine, versions }: PlanOptions): InjectSource {
  const bases = new BaseLines();
  let words = new Uint32Array(planWords * 64);
  let points = 0;
  let states = 0;
  const visit = ({ seq, before, thread, site, stack }: FailurePoint, count: number) => {
    if ((points + 1) * planWords > words.length) words = grown(words);
    words.set([seq, before === "end" ? endCode : codeOf[before], thread, site, stack, states], points * planWords);
    points++;
    states += count;
    assert(seq < wordLimit && states < wordLimit, "events and crash states are numbered in 32 bits");
  };
  replay(
    trace,
    new CrashWalk(trace.tables, {
      granularity,
      allPoints,
      readBase: bases.recording(readLine),
      visit: (point, { lines }) => visit(point, statesAt(lines).length),
    }),
  );
  const table = new StateTable(words.slice(0, points * planWords), states);
  return { trace, versions, table, bases, operations: operationEnds(trace) };
}

function grown(words: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(words.length * 2);
  larger.set(words);
  return larger;
}
