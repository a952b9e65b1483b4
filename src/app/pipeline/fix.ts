/**
 * A fix from end to end: the program is judged as `check` does without exploring, insertions are tried until its errors are gone,
 * and those that have a place in the source become changes of it; or, of what is needless, removals. Nothing is written here.
 */
import { Interrupted, Stopped } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import {
  type Fix,
  fixesInSource,
  type InSource,
  injectEngine,
  patchesOf,
  type Refusal,
  Removal,
  type Removals,
  Repair,
  type RepairCost,
  type RepairPorts,
  robustEngine,
  rulesEngine,
  withinBound,
} from "../../engines/index.ts";
import { settledByCrashes } from "../../exploration/explain/index.ts";
import { realPorts } from "../../host/index.ts";
import type { SubjectOptions } from "../../session/subject/index.ts";
import type { AskedJudging, CrashEngine, SessionResult } from "../../session/work/index.ts";
import { ChosenFindings, type FixInput } from "./fix-inputs.ts";
import type { HostLimits, PipelinePorts } from "./ports.ts";
import type { Sources } from "./sources.ts";
import {
  asBound,
  errorsAmong,
  judgedAnew,
  type OpenedProgram,
  openProgram,
  type TryPorts,
  type TrySession,
} from "./tries.ts";

export interface FixOptions extends HostLimits {
  readonly subject: SubjectOptions;
  readonly judging: AskedJudging;
  /** Directories with source of the user's, besides the program's and the working directory. */
  readonly source: readonly string[];
  /** What lacks, every flush where the fences are given, or what is needless. */
  readonly what: "missing" | "durable" | "needless";
  /** Insertions stay at the stores, and no function is copied. */
  readonly inPlace: boolean;
  /** Only these findings. */
  readonly wanted?: FixInput;
}

/** What was inserted, and what has no fix. */
export interface Inserted extends InSource {
  readonly kind: "inserted";
  readonly fixes: readonly Fix[];
  readonly refusals: readonly Refusal[];
  /** Errors that every flush in place leaves. */
  readonly left: readonly Finding[];
  /** What was wanted and this run does not show. */
  readonly missed: readonly string[];
  /** Errors that the command's time, or its memory, ended before anything was found that cures them. */
  readonly untried: readonly Finding[];
  /** What ended it, where something is untried. */
  readonly cut: string | undefined;
  /** Of the fixes that are whole; undefined where there are none. */
  readonly cost: RepairCost | undefined;
}

export interface Removed extends Removals {
  readonly kind: "removed";
}

export interface FixedProgram {
  readonly made: Inserted | Removed;
  readonly program: string;
  readonly sources: Sources;
  /** The program as it is, where it was judged. */
  readonly first: SessionResult | undefined;
  /** What errors the program has now, as it lies on the host. */
  errorsNow(): Promise<readonly Finding[]>;
}

export async function fixProgram(options: FixOptions, ports: PipelinePorts): Promise<FixedProgram> {
  const host = ports.host(options);
  const isOfOrder = options.wanted?.isOfOrder ?? false;
  const subject: SubjectOptions = { ...options.subject, ...(isOfOrder && { meetings: true }) };
  const judges = new FixJudges(options, {
    ...ports,
    // Files anew: what is open stays what it was when a program is built again.
    tryHost: () => ({ ...host, files: realPorts().files }),
    engineFiles: [],
    stopped: stoppedBy,
  });
  const opened = await openProgram(subject, options.source, host);
  const bounded = { ...host, alarm: () => orBound(() => host.alarm?.()) };
  const repairPorts = { host: bounded, isOwn: opened.isOwn, errors: judges.errors };
  const made =
    options.what === "needless"
      ? await removeNeedless(subject, { host, findings: (tried) => judges.findings(tried) }, opened)
      : await insertMissing(subject, repairPorts, opened, options);
  const errorsNow = () => judges.errors(subject, () => {});
  return { made, program: opened.program, sources: opened.sources, first: judges.first, errorsNow };
}

function orBound(work: () => void): void {
  try {
    work();
  } catch (error) {
    asBound(error);
  }
}

const cutSentence = (stop: Stopped["limit"]): string =>
  `its limit of ${stop === "time" ? "time" : "memory"} was reached before all fixes were tried`;

/** A judgement that a limit ended, with what it had found. */
class CutShort extends Stopped {
  readonly found: readonly Finding[];

  constructor(stop: "time" | "host-memory", found: readonly Finding[]) {
    super(stop, cutSentence(stop));
    this.found = found;
  }
}

/** Half a judgement would call cured what it has not seen. What plans of robust leave out by their nature is no error here. */
const stoppedBy: TryPorts["stopped"] = (stop, found) => {
  if (stop === "time" || stop === "host-memory") return new CutShort(stop, found);
  return stop === "interrupt" ? new Interrupted() : undefined;
};

/** What `blackout check` would report, and `blackout robust` where that is what complained. */
class FixJudges {
  readonly #options: FixOptions;
  readonly #ports: TryPorts;
  first: SessionResult | undefined;

  constructor(options: FixOptions, ports: TryPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  async findings(subject: SubjectOptions, show: Parameters<RepairPorts["errors"]>[1] = () => {}) {
    const rules = rulesEngine({ mode: subject.pmMode, wantsAnnotations: true });
    const checked = await this.#judged(subject, {
      traceEngines: [rules],
      crashEngines: [injectEngine() as CrashEngine],
    });
    this.first ??= checked;
    show(checked.traced);
    if (!this.#options.wanted?.isOfOrder) return checked.findings;
    // By itself: beside failures, the order of stores is only reported where none of them is about it.
    const ordered = await this.#judged(subject, { traceEngines: [], crashEngines: [robustEngine() as CrashEngine] });
    return [...checked.findings, ...ordered.findings];
  }

  /** Once it is known what is wrong, time that is over is the end of tries alone. */
  readonly errors: RepairPorts["errors"] = async (subject, show) => {
    const isTry = this.first !== undefined;
    return errorsAmong(await this.findings(subject, show).catch(isTry ? asBound : rethrown));
  };

  #judged(subject: SubjectOptions, engines: Pick<TrySession, "traceEngines" | "crashEngines">) {
    return judgedAnew({ judging: this.#options.judging, ...engines, settle: settledByCrashes }, subject, this.#ports);
  }
}

function rethrown(error: unknown): never {
  throw error;
}

/** What a limit ended in the first judgement was found, and nothing tried. */
async function insertMissing(...given: Parameters<typeof insertFixes>): Promise<Inserted> {
  try {
    return await insertFixes(...given);
  } catch (error) {
    const [, , , { what }] = given;
    if (!(error instanceof CutShort) || what === "durable") throw error;
    return { ...nothingFixed, untried: errorsAmong(error.found), cut: error.message };
  }
}

async function insertFixes(
  subject: SubjectOptions,
  ports: Pick<RepairPorts, "host" | "isOwn" | "errors">,
  { open, newPatch }: OpenedProgram,
  { what, inPlace, wanted }: FixOptions,
): Promise<Inserted> {
  const chosen = wanted && new ChosenFindings(wanted);
  const repair = new Repair(subject, {
    ...ports,
    ...(!inPlace && { sources: open }),
    ...(chosen && { wants: (finding) => chosen.wants(finding) }),
  });
  const repaired =
    what === "durable" ? { ...(await repair.durable()), untried: [] } : { ...(await repair.withinWork()), left: [] };
  const { fixes, refusals, left, untried } = repaired;
  const inSource = await withinBound(fixesInSource(repaired, newPatch, (patches) => repair.foundWith(patches)));
  if (inSource === undefined) {
    const tried = [...fixes, ...repaired.unadded].flatMap(({ finding = [] }) => finding);
    return { ...nothingFixed, refusals, untried: [...tried, ...untried], cut: triesCut };
  }
  const { whole, without } = inSource;
  chosen?.cured([...whole, ...without].flatMap(({ placed }) => placed).map(({ frame }) => frame));
  const costOf = async () => repair.costOf(patchesOf(whole));
  const cost = whole.length === 0 ? undefined : await withinBound(costOf().catch(asBound));
  const missed = chosen?.missed() ?? [];
  const cut = untried.length === 0 ? undefined : triesCut;
  return { kind: "inserted", ...inSource, fixes, refusals, left, untried, cut, missed, cost };
}

/** Which limit it was, the tries do not tell. */
const triesCut = "a limit, of time or of memory, was reached before all fixes were tried";

const nothingFixed = {
  ...{
    kind: "inserted",
    whole: [],
    without: [],
    added: [],
    changes: [],
    fixes: [],
    refusals: [],
    left: [],
    missed: [],
  },
  cost: undefined,
} as const satisfies Omit<Inserted, "untried" | "cut">;

async function removeNeedless(
  subject: SubjectOptions,
  ports: Pick<ConstructorParameters<typeof Removal>[1], "host" | "findings">,
  { open: sources, shownPath }: OpenedProgram,
): Promise<Removed> {
  return { kind: "removed", ...(await new Removal(subject, { ...ports, sources, shownPath }).run()) };
}
