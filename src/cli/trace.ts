/** `blackout trace`: a program's use of persistent memory, recorded and judged by the rules. */
import pc from "picocolors";
import { InputError } from "../base/index.ts";
import { countFindings, type Finding, reachesBar } from "../finding/index.ts";
import { stderrLine } from "../host/index.ts";
import { parseSuppressions, siftFindings, suppressionText, type TextOptions } from "../report/index.ts";
import { parsePmemcheckLog, Recorder, readBtrace, type SinkFactory } from "../trace/index.ts";
import { type Outcome, textFromPath } from "../vm/index.ts";
import { exitCode } from "./exit-codes.ts";
import { openBytes, printText, readIfThere, readText, writeText } from "./files.ts";
import { globPattern } from "./glob.ts";
import { loadProgram } from "./program.ts";
import { renderReport } from "./report-formats.ts";
import { loadRules } from "./rule-files.ts";
import { readTraceOptions, type TraceOptions } from "./trace-options.ts";
import { TraceRun } from "./trace-run.ts";

/** Where events come from. */
export interface TraceSource {
  /** Shows all events to the sinks. */
  play(sinks: readonly SinkFactory[], run: TraceRun): Played;
}

interface Played {
  readonly events: number;
  readonly command?: readonly string[];
  /** Set when the run gives no verdict: it stopped at a limit. */
  readonly unfinished?: string;
}

const fileSource = (file: string): TraceSource => ({
  play: (sinks) => {
    const source = openBytes(file);
    try {
      const { count, info } = readBtrace(source, sinks);
      return { events: count, ...(info.command && { command: info.command }) };
    } finally {
      source.close();
    }
  },
});

const pmemcheckSource = (file: string): TraceSource => ({
  play: (sinks) => ({ events: parsePmemcheckLog(file, readText(file), sinks).count }),
});

const outcomeText: { readonly [K in Outcome["kind"]]: (outcome: Outcome & { readonly kind: K }) => string } = {
  exit: ({ code }) => `exited with ${code}`,
  signal: ({ name, site }) => `was killed by ${name} at ${site}`,
  deadlock: () => "waits for ever: no thread can be woken",
  limit: ({ message }) => `was stopped: ${message}`,
};

const programSource = (options: TraceOptions, command: readonly string[]): TraceSource => ({
  play: (sinks, run) => {
    const recorder = new Recorder(sinks);
    const globs = options.pm.map(globPattern);
    const annotations = options.annotations === "on";
    const machine = loadProgram(options, command, {
      trace: { recorder, annotations },
      directAccess: options.pmMode === "dax",
      ...(globs.length > 0 && { isPersistent: (path) => globs.some((glob) => glob.test(textFromPath(path))) }),
    });
    const result = machine.run();
    const outcome = result.kind === "ended" ? result.outcome : undefined;
    const said =
      outcome === undefined ? "was stopped" : (outcomeText[outcome.kind] as (outcome: Outcome) => string)(outcome);
    run.info = { command, seed: options.seed, outcome: said };
    machine.endTrace();
    if (outcome?.kind !== "exit" || outcome.code !== 0) stderrLine(`blackout: the program ${said}`);
    if (annotations && run.annotated)
      stderrLine(
        "blackout: the program was told that it runs on Valgrind, which changes what PMDK does; --annotations off runs it as in production",
      );
    const verdict = outcome?.kind === "exit" || outcome?.kind === "signal";
    return { events: recorder.count, command, ...(!verdict && { unfinished: said }) };
  },
});

function sourceOf(options: TraceOptions, program: readonly string[]): TraceSource {
  if (options.in !== undefined) return fileSource(options.in);
  return options.inPmemcheck !== undefined ? pmemcheckSource(options.inPmemcheck) : programSource(options, program);
}

const painters = { error: pc.red, performance: pc.yellow, warning: pc.cyan, strong: pc.bold, faint: pc.dim } as const;

function textOptions(): TextOptions {
  const sources = new Map<string, string | undefined>();
  return {
    readSource: (path) => {
      if (!sources.has(path)) {
        const bytes = readIfThere(path);
        sources.set(path, bytes === undefined ? undefined : new TextDecoder().decode(bytes));
      }
      return sources.get(path);
    },
    ...(pc.isColorSupported && process.stderr.isTTY && { paint: (text, how) => painters[how](text) }),
  };
}

function render(options: TraceOptions, findings: readonly Finding[], played: Played, suppressed: number): string {
  const text = renderReport(options.format, {
    findings,
    facts: { command: played.command, events: played.events, suppressed },
    text: textOptions(),
    failOn: options.failOn,
  });
  return suppressed === 0 || options.format !== "text" ? text : `${text} (${suppressed} suppressed)`;
}

/** A report that cannot be written where it was to go is printed: it may have taken long. */
function deliver({ report, format }: TraceOptions, text: string): void {
  if (report !== undefined) {
    try {
      writeText(report, `${text}\n`);
    } catch (error) {
      printText(`${text}\n`);
      throw error;
    }
  } else if (format === "text") stderrLine(text);
  else printText(`${text}\n`);
}

export async function traceCommand(args: readonly string[]): Promise<number> {
  const { options, program } = readTraceOptions(args);
  const suppressions = options.suppressions.flatMap((file) => parseSuppressions(file, readText(file)));
  const run = new TraceRun(options, await loadRules(options.rule));
  const { played, failure } = play(sourceOf(options, program), run);
  const { kept, suppressed } = siftFindings(run.findings(), suppressions);
  deliver(options, render(options, kept, played, suppressed.length));
  if (options.genSuppressions) for (const finding of kept) stderrLine(suppressionText(finding));
  if (failure !== undefined) throw failure;
  return verdict(options, run, kept, played);
}

/** A trace that is damaged somewhere is judged up to there. */
function play(source: TraceSource, run: TraceRun): { readonly played: Played; readonly failure?: InputError } {
  try {
    return { played: source.play(run.sinks(), run) };
  } catch (error) {
    if (!(error instanceof InputError) || run.seen === 0) throw error;
    const { code, message, facts } = error;
    const failure = new InputError(code, `${message} What was found in the ${run.seen} events before is above.`, facts);
    return { played: { events: run.seen }, failure };
  } finally {
    run.close();
  }
}

/** Failed rules are told last, when all that was found has been printed. */
function verdict(options: TraceOptions, run: TraceRun, kept: readonly Finding[], played: Played): number {
  const [failure] = run.failures;
  if (failure !== undefined) {
    const { id, seq, message } = failure;
    const when = seq < 0 ? "at the end of the trace" : `at event ${seq}`;
    throw new InputError("rules/threw", `The rule ${id} threw ${when}: ${message}. The other findings are complete.`, {
      id,
    });
  }
  if (reachesBar(countFindings(kept), options.failOn)) return exitCode.findings;
  return played.unfinished === undefined ? exitCode.clean : exitCode.noVerdict;
}
