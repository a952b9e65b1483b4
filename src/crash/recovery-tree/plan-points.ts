/** One walk over a trace that lists its failure points and what each line may hold at them. */
import { assert, baseName } from "../../base/index.ts";
import type { Platform, TrackedLine } from "../../model/pmem/index.ts";
import { replay, type Trace } from "../../trace/events/index.ts";
import {
  BaseLines,
  baseReader,
  type CrashSource,
  CrashWalk,
  type FailurePoint,
  type Moment,
  type ReadLine,
  type SourceBefore,
  sourceWith,
  type TracedFiles,
  versionOf,
} from "../states/index.ts";
import { ContentsRecorder, type LineRecord } from "./line-contents.ts";
import { StoresByLine } from "./stores-by-line.ts";
import {
  keyWords,
  lineWords,
  type PointTables,
  pointCode,
  pointWords,
  TracePoints,
  windowWords,
} from "./trace-points.ts";
import { areVaried, type PointVersion, variedLines } from "./varied-lines.ts";
import { WordLog } from "./word-log.ts";

export interface PlannedPoints {
  readonly points: TracePoints;
  readonly source: CrashSource;
  readonly stores: StoresByLine;
  /** Crash states of all points, one by one. */
  readonly states: bigint;
  /** Lines that are open at a point, added up over the points, and the most at one. */
  readonly mostOpen: number;
}

const sharedWords = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * length));

function shared(words: Int32Array): Int32Array {
  const copy = sharedWords(words.length);
  copy.set(words);
  return copy;
}

/** Of each open line, how many cuts a crash may leave now. Always: their product costs the different numbers of cuts, not the lines. */
class OpenCuts {
  readonly #cuts = new Map<number, number>();
  /** By number of cuts: lines that have so many. */
  readonly #lines = new Map<number, number>();
  #states: bigint | undefined = 1n;

  get size(): number {
    return this.#cuts.size;
  }

  set(line: number, cuts: number): void {
    this.#count(this.#cuts.get(line), -1);
    if (cuts === 1) this.#cuts.delete(line);
    else this.#cuts.set(line, cuts);
    this.#count(this.#cuts.get(line), 1);
    this.#states = undefined;
  }

  #count(cuts: number | undefined, by: number): void {
    if (cuts === undefined) return;
    const lines = (this.#lines.get(cuts) ?? 0) + by;
    if (lines === 0) this.#lines.delete(cuts);
    else this.#lines.set(cuts, lines);
  }

  /** Crash states that they make together. */
  get states(): bigint {
    this.#states ??= [...this.#lines].reduce((product, [cuts, lines]) => product * BigInt(cuts) ** BigInt(lines), 1n);
    return this.#states;
  }
}

class PointPlanner {
  readonly #contents = new ContentsRecorder();
  readonly #records = new Map<number, LineRecord>();
  readonly #keys: number[] = [];
  readonly #points = new WordLog();
  readonly #changes = new WordLog();
  readonly #open = new OpenCuts();
  /** What lines held before their first store, until the next point looks at them. */
  readonly #bases = new Map<string, Uint8Array>();
  #printed: readonly Uint8Array[] = [];
  #bytes = 0;
  #paths: readonly string[] = [];
  states = 0n;
  mostOpen = 0;

  /** Notes what a line held before its first store. */
  noting(readLine: ReadLine): ReadLine {
    return (path, index, seq) => {
      const line = readLine(path, index, seq);
      const place = `${index} ${path}`;
      if (!this.#bases.has(place)) this.#bases.set(place, line.slice());
      return line;
    };
  }

  visit(point: FailurePoint, { lines, mappings, acknowledged }: Moment): void {
    for (let at = this.#printed.length; at < acknowledged.length; at++) this.#bytes += acknowledged[at]!.length;
    this.#printed = acknowledged.slice();
    this.#paths = mappings.paths.slice();
    const { seq, before, thread, site, stack, version } = point;
    const files = version === undefined ? 0 : version + 1;
    for (const word of [seq, pointCode(before), thread, site, stack, files, this.#bytes, this.#paths.length])
      this.#points.push(word);
    this.#points.push(this.#changes.length);
    for (const line of new Set([...lines.takeChanged(), ...lines.takeRisen()])) this.#line(line);
    this.#bases.clear();
    this.mostOpen = Math.max(this.mostOpen, this.#open.size);
    this.states += lines.isOrdered ? BigInt(lines.inOrder.length + 1) : this.#open.states;
  }

  #line(line: TrackedLine): void {
    const record = this.#records.get(line.key) ?? this.#begin(line);
    const [lowBefore, highBefore] = [record.low, record.high];
    this.#contents.update(record, line);
    const { low, high } = record;
    if (lowBefore === low && highBefore === high) return;
    this.#open.set(record.line, high - low + 1);
    for (const word of [record.line, low, high]) this.#changes.push(word);
  }

  #begin(line: TrackedLine): LineRecord {
    const base = this.#bases.get(`${line.index} ${this.#paths[line.file]!}`);
    assert(base !== undefined, "a line is read before its first store");
    const record = this.#contents.begin(base);
    this.#keys.push(line.key);
    this.#records.set(line.key, record);
    return record;
  }

  /** Contents of one line stand together; what was recorded by the line's own numbers becomes numbers of all. */
  tables(names: readonly string[]): PointTables {
    const { contents, cuts, starts } = this.#contents.packed();
    const changes = this.#changes.shared();
    for (let at = 0; at < changes.length; at += 3) {
      changes[at + 1]! += starts[changes[at]!]!;
      changes[at + 2]! += starts[changes[at]!]!;
    }
    const points = this.#points.shared();
    const printed = new Uint8Array(new SharedArrayBuffer(this.#bytes));
    let at = 0;
    for (const chunk of this.#printed) {
      printed.set(chunk, at);
      at += chunk.length;
    }
    return {
      points,
      changes,
      ...windowsOf(this.#keys, starts, points, changes),
      cuts,
      contents,
      printed,
      paths: this.#paths,
      varied: this.#paths.map(() => []),
      names,
    };
  }

  stores(): StoresByLine {
    return new StoresByLine(this.#contents.stores.table(this.#keys.length));
  }
}

/** Changes by line, for who goes to a point without passing those before it. */
function windowsOf(
  keys: readonly number[],
  starts: Int32Array,
  points: Int32Array,
  changes: Int32Array,
): Pick<PointTables, "lines" | "windows"> {
  const counts = new Int32Array(keys.length + 1);
  for (let at = 0; at < changes.length; at += 3) counts[changes[at]! + 1]!++;
  for (let line = 0; line < keys.length; line++) counts[line + 1]! += counts[line]!;
  const lines = new Int32Array((keys.length + 1) * lineWords);
  for (let line = 0; line <= keys.length; line++)
    lines.set([...keyWords(keys[line] ?? 0), starts[line]!, counts[line]!], line * lineWords);
  const windows = sharedWords(changes.length);
  const next = counts.slice();
  const count = points.length / pointWords;
  for (let point = 0; point < count; point++) {
    const to = point + 1 === count ? changes.length : points[(point + 1) * pointWords + 8]!;
    for (let at = points[point * pointWords + 8]!; at < to; at += 3) {
      const window = next[changes[at]!]!++ * windowWords;
      windows[window] = point;
      windows[window + 1] = changes[at + 1]!;
      windows[window + 2] = changes[at + 2]!;
    }
  }
  return { lines: shared(lines), windows };
}

/** The last names of files that versions have. */
function namesIn(versions: readonly PointVersion[], history: TracedFiles): readonly string[] {
  const names = new Set<string>();
  for (const { version } of versions) for (const path of history.read(version).keys()) names.add(baseName(path));
  return [...names];
}

export function planPoints(
  trace: Trace,
  history: TracedFiles,
  platform: Platform,
  before: SourceBefore = {},
): PlannedPoints {
  const bases = new BaseLines();
  const planner = new PointPlanner();
  const versions: PointVersion[] = [];
  let from = 0;
  const walk = new CrashWalk(trace.tables, {
    granularity: "bound",
    allPoints: true,
    platform,
    readBase: planner.noting(bases.recording(baseReader(history))),
    versionStarts: history.starts,
    acknowledged: before.acknowledged,
    visit: (point, moment) => {
      planner.visit(point, moment);
      const version = versionOf(history, point);
      if (versions.at(-1)?.version !== version) versions.push({ version, from });
      from++;
    },
  });
  replay(trace, walk);
  const byStores = new TracePoints(planner.tables(namesIn(versions, history)));
  const varied = variedLines(byStores, versions, history);
  const points = varied.some(areVaried) ? new TracePoints({ ...byStores.tables, varied }) : byStores;
  const source = sourceWith(bases, trace, history, platform, before);
  return { points, source, stores: planner.stores(), states: planner.states, mostOpen: planner.mostOpen };
}
