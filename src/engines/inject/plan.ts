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
  PointChooser,
  PointStates,
  type ReadLine,
  TraceCursor,
} from "../../crash/states/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import { replay, type Trace } from "../../trace/events/index.ts";
import { codeOf, kindOf } from "../../trace/record/index.ts";
import { StoreCoverage, type StoreSite } from "./uncovered.ts";

const planWords = 7;
/** Codes that are no event's. */
const endCode = 0xff;
const callCode = 0xfe;
const codeMask = 0xff;
const repeatedBit = 0x100;
const codeOfPoint = (before: FailurePoint["before"]): number =>
  before === "end" ? endCode : before === "call" ? callCode : codeOf[before];
const pointOfCode = (code: number): FailurePoint["before"] =>
  code === endCode ? "end" : code === callCode ? "call" : kindOf(code)!;
const wordLimit = 2 ** 32;

export class StateTable {
  /** Of each point: its event, kind, thread, site, stack, version of files if it has one and 1, the number of its first state. */
  readonly words: Uint32Array;
  /** Crash states in all, and how many more there are where a sample was taken. */
  readonly states: number;
  readonly leftOut: number;

  constructor(words: Uint32Array, states: number, leftOut: number) {
    this.words = words;
    this.states = states;
    this.leftOut = leftOut;
  }

  get points(): number {
    return this.words.length / planWords;
  }

  point(index: number): FailurePoint {
    const at = index * planWords;
    const [seq, kind, thread, site, stack, files] = this.words.subarray(at, at + planWords) as unknown as number[];
    const code = kind! & codeMask;
    const version = files === 0 ? {} : { version: files! - 1 };
    const repeated = kind === code ? {} : { repeated: true as const };
    return {
      seq: seq!,
      before: pointOfCode(code),
      thread: thread!,
      site: site!,
      stack: stack!,
      ...repeated,
      ...version,
    };
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
  readonly versions: FileVersions & { readonly starts: readonly number[] };
  /** What survives a crash; Px86 if not given. */
  readonly platform?: Platform;
}

/** What everybody who judges crash states of a trace needs. */
export interface InjectSource extends CrashSource {
  readonly table: StateTable;
  /** Stores that none of the points falls on; known to the thread that planned. */
  readonly uncovered?: readonly StoreSite[];
}

/** Two walks over the trace, in which no recovery runs: points are chosen, then their states are counted. */
export function planStates(trace: Trace, options: PlanOptions): InjectSource {
  const { granularity, allPoints, readLine, versions, platform = "px86" } = options;
  const bases = new BaseLines();
  const chooser = new PointChooser(allPoints);
  const walk = new CrashWalk(trace.tables, {
    // Where caches survive, every store is persisted as it is made.
    granularity: platform === "px86" ? granularity : "store",
    allPoints: true,
    platform,
    readBase: bases.recording(readLine),
    versionStarts: versions.starts,
    visit: (point, moment) => chooser.visit(point, moment),
  });
  replay(trace, walk);
  const source: CrashSource = { trace, versions, bases, operations: operationEnds(trace), platform };
  const coverage = new StoreCoverage(trace);
  const table = countStates(chooser.points(), source, coverage);
  return { ...source, table, uncovered: coverage.uncovered };
}

function countStates(points: readonly FailurePoint[], source: CrashSource, coverage: StoreCoverage): StateTable {
  const cursor = new TraceCursor(source);
  const words = new Uint32Array(points.length * planWords);
  let states = 0;
  let leftOut = 0;
  for (const [index, point] of points.entries()) {
    const { seq, before, thread, site, stack, version, repeated } = point;
    const files = version === undefined ? 0 : version + 1;
    const kind = codeOfPoint(before) | (repeated ? repeatedBit : 0);
    words.set([seq, kind, thread, site, stack, files, states], index * planWords);
    const { lines } = cursor.before(seq);
    const counted = new PointStates(lines, point);
    coverage.look(lines.open);
    states += counted.count;
    leftOut += counted.leftOut;
    assert(seq < wordLimit && states < wordLimit, "events and crash states are numbered in 32 bits");
  }
  return new StateTable(words, states, leftOut);
}
