/**
 * Crash injection with recovery as the oracle (Mumak, section 4.1): at each failure point the crash states are laid out and
 * recovery runs on each. Always:
 * - Equal crashed contents (persistent memory, files, printed output) run once; the memo answers for the others.
 * - Findings come in the order of the trace. Those with the same failure and the same responsible place are one.
 */
import {
  CrashWalk,
  type Ended,
  type FailurePoint,
  type FileHistory,
  type Granularity,
  type Layout,
  lineBytes,
  type Moment,
  type PmStore,
  Recoveries,
  type Recovery,
  type StateKind,
  smallestFailing,
  statesAt,
  type TrackedLine,
  type Verdict,
} from "../../crash/index.ts";
import { replay, type Trace } from "../../trace/index.ts";

export interface InjectOptions {
  readonly granularity: Granularity;
  readonly allPoints: boolean;
  readonly expectExit: number;
  readonly maxInstructions: number;
  /** Off: every crash state runs. */
  readonly memo: boolean;
  /** From the trace's path of a persistent file to the name the machine knows. */
  guestPath(path: string): string;
  /** Recoveries to run at most. */
  readonly maxRuns?: number;
}

export interface LostLine {
  readonly path: string;
  readonly index: number;
}

export interface CrashFinding {
  readonly point: FailurePoint;
  readonly kind: StateKind;
  readonly ended: Ended;
  /** The fewest lines that recovery fails without; none when it fails with every store kept. */
  readonly lost: readonly LostLine[];
  /** The stores of those lines that were lost. */
  readonly stores: readonly PmStore[];
  /** To run this recovery again. */
  readonly layout: Layout;
  /** Crash states that show it. */
  count: number;
}

export interface InjectResult {
  readonly findings: readonly CrashFinding[];
  readonly points: number;
  readonly states: number;
  readonly runs: number;
  /** Stopped at the limit on runs: crash states from this position on were not all looked at. */
  readonly stoppedAt: number | undefined;
}

export const verdictFails = (verdict: Verdict, expectExit: number): boolean =>
  verdict.kind !== "exit" || verdict.code !== expectExit;

/** The same failure, wherever it came from. */
const verdictKey = (verdict: Verdict): string =>
  verdict.kind === "signal"
    ? `${verdict.name} ${verdict.site}`
    : verdict.kind === "exit"
      ? `exit ${verdict.code}`
      : verdict.kind;

export class Injector {
  readonly #options: InjectOptions;
  readonly #history: FileHistory;
  readonly #recovery: Recovery;
  readonly #recoveries: Recoveries;
  readonly #findings = new Map<string, CrashFinding>();
  /** Failures at a place that were explained before, with their finding. */
  readonly #explained = new Map<string, CrashFinding>();
  readonly #bases = new Map<string, { readonly seq: number; readonly bytes: Uint8Array }>();
  #points = 0;
  #states = 0;
  #stoppedAt: number | undefined;

  constructor(history: FileHistory, recovery: Recovery, options: InjectOptions) {
    this.#history = history;
    this.#recovery = recovery;
    this.#options = options;
    this.#recoveries = new Recoveries(recovery, history, options);
  }

  run(trace: Trace): InjectResult {
    const { granularity, allPoints } = this.#options;
    replay(
      trace,
      new CrashWalk(trace.tables, {
        granularity,
        allPoints,
        readBase: (path, index, seq) => this.#base(path, index, seq),
        visit: (point, moment) => this.#visit(point, moment),
      }),
    );
    return {
      findings: [...this.#findings.values()],
      points: this.#points,
      states: this.#states,
      runs: this.#recoveries.runs,
      stoppedAt: this.#stoppedAt,
    };
  }

  /** One crash state and nothing else: the lines named are lost at the point before event `seq`. */
  runOnly(trace: Trace, seq: number, lost: readonly LostLine[]): { ended: Ended; layout: Layout } | undefined {
    let found: { ended: Ended; layout: Layout } | undefined;
    const visit = (point: FailurePoint, moment: Moment) => {
      if (point.seq !== seq) return;
      const isLost = (line: TrackedLine) =>
        lost.some(({ path, index }) => index === line.index && path === moment.mappings.path(line.file));
      const layout = this.#recoveries.layout(point, moment, moment.lines.open.filter(isLost));
      found = { ended: this.#recovery.run(layout, this.#options.maxInstructions), layout };
    };
    const readBase = (path: string, index: number, at: number) => this.#base(path, index, at);
    const { granularity } = this.#options;
    replay(trace, new CrashWalk(trace.tables, { granularity, allPoints: true, readBase, visit }));
    return found;
  }

  #base(path: string, index: number, seq: number): Uint8Array {
    let known = this.#bases.get(path);
    if (known?.seq !== seq) {
      known = { seq, bytes: this.#history.readFile(this.#options.guestPath(path), seq) };
      this.#bases.set(path, known);
    }
    const line = new Uint8Array(lineBytes);
    line.set(known.bytes.subarray(index * lineBytes, (index + 1) * lineBytes));
    return line;
  }

  #visit(point: FailurePoint, moment: Moment): void {
    if (this.#stoppedAt !== undefined) return;
    const { maxRuns = Number.POSITIVE_INFINITY } = this.#options;
    this.#points++;
    for (const { kind, lost } of statesAt(moment.lines)) {
      if (this.#recoveries.runs >= maxRuns) {
        this.#stoppedAt = point.seq;
        return;
      }
      this.#states++;
      const ended = this.#recoveries.outcome(point, moment, lost);
      if (this.#fails(ended)) this.#explain(point, moment, kind, lost, ended);
    }
  }

  #fails = (ended: Ended): boolean => verdictFails(ended.verdict, this.#options.expectExit);

  /** Which of the lost lines recovery cannot do without, and whether that is known already. */
  #explain(point: FailurePoint, moment: Moment, kind: StateKind, lost: readonly TrackedLine[], ended: Ended): void {
    const failure = verdictKey(ended.verdict);
    const sitesOf = (lines: readonly TrackedLine[]) =>
      lines.flatMap(({ pending }) => pending.map(({ site, stack }) => `${site}/${stack}`)).join(" ");
    const here = `${failure} at ${point.site}/${point.stack} without ${sitesOf(lost)}`;
    const explained = this.#explained.get(here);
    if (explained !== undefined) {
      explained.count++;
      return;
    }
    const culprits = smallestFailing(lost, (part) => {
      const again = this.#recoveries.outcome(point, moment, part);
      return this.#fails(again) && verdictKey(again.verdict) === failure;
    });
    const place = culprits.length === 0 ? `at ${point.site}/${point.stack}` : `without ${sitesOf(culprits)}`;
    const known = this.#findings.get(`${failure} ${place}`);
    const finding = known ?? {
      point,
      kind: culprits.length === 0 ? "prefix" : kind,
      ended,
      lost: culprits.map(({ file, index }) => ({ path: moment.mappings.path(file), index })),
      stores: culprits.flatMap(({ pending }) => pending),
      layout: this.#recoveries.layout(point, moment, culprits),
      count: 0,
    };
    finding.count++;
    this.#findings.set(`${failure} ${place}`, finding);
    this.#explained.set(here, finding);
  }
}
