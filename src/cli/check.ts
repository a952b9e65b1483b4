/** `blackout check`: cuts the power at a program's failure points and runs its recovery on what a crash leaves. */
import { InputError } from "../base/index.ts";
import { lineBytes, type Recovery } from "../crash/index.ts";
import { type CrashSource, planStates, type ReadBase, verdictFails } from "../engines/index.ts";
import { countFindings, type Finding, reachesBar, type Severity } from "../finding/index.ts";
import { cpuSeconds, monotonicSeconds, peakMemoryBytes, stderrLine } from "../host/index.ts";
import { pathFromText } from "../vm/index.ts";
import { describeVerdict, findingOf } from "./check-findings.ts";
import { identityOf, runIdentity } from "./check-identity.ts";
import { judgeFor } from "./check-judges.ts";
import { mergeFindings } from "./check-mistakes.ts";
import { type CheckOptions, checkCommandLine } from "./check-options.ts";
import { coverageOf, deliver, writeWitnesses } from "./check-report.ts";
import { Journaling } from "./check-resume.ts";
import { CheckSession, type TracedRun } from "./check-session.ts";
import { traceRun } from "./check-trace.ts";
import { CheckWork, type Stop } from "./check-work.ts";
import { exitCode } from "./exit-codes.ts";
import { RecoveryEnds } from "./recovery-ends.ts";

/** Room for a recovery that has more to do than after a clean stop. */
const hangFactor = 20;
const leastHangLimit = 2_000_000;

/** How long recovery may take, by how long it takes after a clean stop; it must succeed then. */
export function hangLimit(recovery: Recovery, run: TracedRun, options: CheckOptions): number {
  const layout = {
    version: -1,
    files: () => run.finalFiles,
    lines: [],
    acknowledged: [new TextEncoder().encode(run.stdout)],
  };
  const ended = recovery.run(layout, options.hangLimit ?? Number.MAX_SAFE_INTEGER);
  if (verdictFails(ended.verdict, options.expectExit))
    throw new InputError(
      "check/recovery",
      `The recovery ${describeVerdict(ended.verdict)} even after the program stopped undisturbed: give another with --recover, or --expect-exit. ${ended.stderr.trim()}`,
    );
  return options.hangLimit ?? Math.max(leastHangLimit, hangFactor * ended.instructions);
}

/** Lines of files before the trace's stores; a file is read once for each time it is mapped anew. */
function baseReader({ history }: TracedRun): ReadBase {
  const known = new Map<string, { readonly seq: number; readonly bytes: Uint8Array }>();
  return (path, index, seq) => {
    let file = known.get(path);
    if (file?.seq !== seq) {
      file = { seq, bytes: history.readFile(pathFromText(path), seq) };
      known.set(path, file);
    }
    const line = new Uint8Array(lineBytes);
    line.set(file.bytes.subarray(index * lineBytes, (index + 1) * lineBytes));
    return line;
  };
}

/** The crash states of a traced run. */
export function crashSource(run: TracedRun, { granularity, allPoints = false }: CheckOptions): CrashSource {
  const planned = planStates(run.trace, { granularity, allPoints, readBase: baseReader(run) });
  return { ...planned, trace: run.trace, versions: run.history };
}

export async function checkCommand(args: readonly string[]): Promise<number> {
  const started = monotonicSeconds();
  const command = checkCommandLine();
  command.parse([...args], { from: "user" });
  const options = command.opts<CheckOptions>();
  const program = command.args;
  const session = new CheckSession(options, program);
  const journal = new Journaling(options, identityOf(options, program, session));
  const traced = traceRun(session, options);
  const { run, places } = traced;
  const { recovery } = session.recovery();
  const limit = hangLimit(recovery, run, options);
  const input = session.input.end();
  journal.begin(() => runIdentity(run, input, limit));
  const source = crashSource(run, options);
  const planned = monotonicSeconds();
  const judge = judgeFor(source, session, options, limit, recovery);
  const work = new CheckWork({ options, program, input, run, judge, source, hangLimit: limit, started, journal });
  await work.run();
  const judging = monotonicSeconds() - planned;
  const crashes = work.tally.findings(source.plan);
  const ends = new RecoveryEnds(session, limit);
  const shown = crashes.map((crash) => findingOf(crash, judge.layout(crash.point.seq, crash.lost), ends, places));
  const findings = [...mergeFindings(shown), ...traced.findings()];
  const coverage = coverageOf(work.tally, source.plan, work.stop);
  deliver({ options, program, findings, events: run.trace.count, coverage });
  writeWitnesses(options, program, crashes, limit);
  journal.end(work.stop === undefined);
  if (options.stats) {
    const seconds = { before: planned - started, judging, busy: work.busySeconds, cpu: cpuSeconds() };
    const peakBytes = peakMemoryBytes();
    stderrLine(JSON.stringify({ events: run.trace.count, ...work.done, ...coverage, seconds, peakBytes }));
  }
  return verdict(findings, work.stop);
}

const bar: Severity = "error";

function verdict(findings: readonly Finding[], stop: Stop | undefined): number {
  if (stop === "interrupt") return exitCode.interrupted;
  if (reachesBar(countFindings(findings), bar)) return exitCode.findings;
  return stop === undefined ? exitCode.clean : exitCode.noVerdict;
}
