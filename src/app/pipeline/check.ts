/**
 * A check from end to end, one pass after another: the program is traced and judged by rules, what crashes leave is judged by
 * recovery, exploration goes on with the rest, and fixes are tried. The command and the package's `check` both run this.
 */
import type { Finding, RuleInfo } from "../../crash/finding/index.ts";
import type { Granularity } from "../../crash/states/index.ts";
import {
  type CustomRule,
  injectEngine,
  type RepresentEngine,
  type RepresentStatistics,
  rulesEngine,
} from "../../engines/index.ts";
import {
  type CreationSeverity,
  ReadsNothing,
  readsNothingRule,
  settledByCrashes,
  withHistories,
  withRecoveryLoads,
} from "../../exploration/explain/index.ts";
import type { SubjectOptions } from "../../session/subject/index.ts";
import type {
  AskedJudging,
  CrashEngine,
  SessionOptions,
  SessionResult,
  TraceEngine,
} from "../../session/work/index.ts";
import { checkExploration } from "./check-exploration.ts";
import { withFixes } from "./check-fixes.ts";
import { type HostLimits, judge, type PipelinePorts, unseen } from "./ports.ts";

type Limits = HostLimits & Pick<SessionOptions, "journal" | "resume" | "jobs" | "maxItems" | "schedules">;

/** Everything that a check depends on, as data. */
export interface CheckOptions extends Limits {
  readonly subject: SubjectOptions;
  readonly judging: AskedJudging;
  /** Failure points before each flush, fence and msync, or before each store too. */
  readonly granularity: Granularity;
  /** Every dynamic failure point, not one for each place with its calls. */
  readonly allPoints: boolean;
  /** Off: recovery runs on every crash state, also on equal ones. */
  readonly memo: boolean;
  /** What a crash while the run creates its file counts as. */
  readonly creation: CreationSeverity;
  readonly rules: boolean;
  /** Rules to leave out, by id. */
  readonly disabled: readonly string[];
  readonly customRules: readonly CustomRule[];
  /** Rules judge a run of their own, in which Valgrind's client requests are answered. */
  readonly annotatesForRules: boolean;
  /** Crash engines of the user's own, and the modules that workers find them in. */
  readonly ownEngines: readonly CrashEngine[];
  readonly engineFiles: readonly string[];
  readonly explores: boolean;
  /** Which fixes are tried: those within a bound of instructions, all however long that takes, or none. */
  readonly fixes: "bounded" | "all" | "none";
  /** Directories with source of the user's, besides the program's and the working directory. */
  readonly source: readonly string[];
  /** Each finding gets its history, which pages and JSON show. */
  readonly histories: boolean;
}

/** What the command does where no option says otherwise. */
export const checkDefaults: Omit<CheckOptions, "subject"> = {
  judging: { expectExit: 0, oracle: "exit", platform: "px86" },
  granularity: "flush",
  allPoints: false,
  memo: true,
  creation: "warning",
  rules: true,
  disabled: [],
  customRules: [],
  annotatesForRules: true,
  ownEngines: [],
  engineFiles: [],
  explores: true,
  fixes: "bounded",
  source: [],
  histories: false,
  journal: false,
};

export interface Checked extends SessionResult {
  /** Names of the engines that judged. */
  readonly engines: readonly string[];
  /** Everything that was looked for. */
  readonly rules: readonly RuleInfo[];
  /** Where exploration began: which updates were tested. */
  readonly updates?: RepresentStatistics;
  /** Functions that exploration assumed to take checksums. */
  readonly checksums: readonly string[];
}

export async function checkProgram(options: CheckOptions, ports: PipelinePorts): Promise<Checked> {
  const engines = checkEngines(options);
  const session = checkSession(options, engines);
  const host = ports.host(options);
  const result = await judge(session, ports, host, options.engineFiles);
  const findings = await withFixes(result, session, options, { ...ports, host: () => host, progress: () => unseen });
  return withEngineNames(result, findings, engines);
}

interface CheckEngines {
  readonly trace: readonly TraceEngine[];
  readonly crash: readonly CrashEngine[];
  readonly exploration: RepresentEngine | undefined;
}

function checkEngines(options: CheckOptions): CheckEngines {
  const { granularity, allPoints, memo, creation, disabled, customRules, subject } = options;
  const { platform } = options.judging;
  const rules = rulesEngine({
    platform,
    mode: subject.pmMode,
    disabled: new Set(disabled),
    custom: customRules,
    wantsAnnotations: options.annotatesForRules,
  });
  return {
    trace: options.rules ? [rules] : [],
    crash: [injectEngine({ granularity, allPoints, memo, creation, platform }) as CrashEngine, ...options.ownEngines],
    exploration: options.explores ? checkExploration(options) : undefined,
  };
}

function checkSession(options: CheckOptions, { trace, crash, exploration }: CheckEngines): SessionOptions {
  const { judging, journal, resume, jobs, time, maxItems, schedules } = options;
  const readsNothing = new ReadsNothing();
  return {
    subject: { ...options.subject, notesCode: true },
    judging,
    traceEngines: trace,
    crashEngines: crash,
    ...(exploration && { goesOn: exploration as CrashEngine }),
    looksAtSetup: true,
    annotateTraceFindings: withRecoveryLoads,
    ...(options.histories && { addDetails: withHistories }),
    settle: (scene, findings, isWhole) => {
      const settled = settledByCrashes(scene, findings, isWhole);
      return isWhole ? readsNothing.with(scene, settled) : settled;
    },
    journal,
    ...(resume && { resume }),
    ...(jobs !== undefined && { jobs }),
    ...(time !== undefined && { time }),
    ...(maxItems !== undefined && { maxItems }),
    ...(schedules !== undefined && { schedules }),
  };
}

function withEngineNames(
  result: SessionResult,
  findings: readonly Finding[],
  { trace, crash, exploration }: CheckEngines,
): Checked {
  const exploring = exploration === undefined ? [] : [exploration];
  const updates = result.furtherExtent && exploration?.statistics();
  return {
    ...result,
    findings,
    engines: [...crash, ...trace].map(({ name }) => name),
    // Engines that look for the same have the same rules.
    rules: uniqueRules([...[...trace, ...crash, ...exploring].flatMap(({ rules }) => rules), readsNothingRule]),
    ...(updates && { updates }),
    checksums: exploration?.checksums() ?? [],
  };
}

const uniqueRules = (rules: readonly RuleInfo[]): readonly RuleInfo[] => [
  ...new Map(rules.map((rule) => [rule.id, rule])).values(),
];
