/** A guest with a mistake, repaired: tried in the running code, patched in a copy of its source, and built again. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import type { Finding } from "../../src/crash/finding/index.ts";
import {
  fixesInSource,
  injectEngine,
  OpenSources,
  type PlacedFix,
  type PlacedInsert,
  Repair,
  type Repaired,
  type RepairPorts,
  rulesEngine,
  type SourceChange,
  SourcePatch,
} from "../../src/engines/index.ts";
import { readText, realPorts } from "../../src/host/index.ts";
import { Subject, type SubjectOptions } from "../../src/session/subject/index.ts";
import { type CrashEngine, runSession } from "../../src/session/work/index.ts";
import { eventsBetween } from "../../src/trace/events/index.ts";
import { openTestSyntax } from "../source/syntax.ts";
import { compilation } from "../support/programs.ts";
import { subjectOf } from "../support/subject.ts";
import { compileRow, type RepairRow } from "./rows.ts";

const guests = resolve("guests");

/** The errors that a check finds. */
export const errorsOf = async (subject: SubjectOptions, allPoints = false): Promise<readonly Finding[]> =>
  (await findingsOf(subject, allPoints)).filter(({ rule }) => rule.severity === "error");

/** All that it finds. */
export const findingsOf = async (subject: SubjectOptions, allPoints = false): Promise<readonly Finding[]> =>
  (await sessionOf(subject, allPoints)).findings;

const sessionOf = (subject: SubjectOptions, allPoints: boolean) =>
  runSession(
    {
      subject,
      judging: { expectExit: 0, oracle: "exit", platform: "px86" },
      traceEngines: [rulesEngine({ wantsAnnotations: true })],
      crashEngines: [injectEngine({ granularity: "flush", memo: true, allPoints }) as CrashEngine],
      journal: false,
    },
    { host: realPorts(), workers: undefined, progress: () => undefined },
  );

const flushes: ReadonlySet<string> = new Set(["clwb", "clflushopt", "clflush"]);
const fences: ReadonlySet<string> = new Set(["sfence", "mfence"]);

/** The flushes and fences of a run. */
export function executed(options: SubjectOptions): { readonly flushes: number; readonly fences: number } {
  const { trace } = new Subject(options, realPorts()).trace([]);
  const kinds = [...eventsBetween(trace, 0, trace.count)].map(({ kind }) => kind);
  return {
    flushes: kinds.filter((kind) => flushes.has(kind)).length,
    fences: kinds.filter((kind) => fences.has(kind)).length,
  };
}

export interface Mended extends Repaired {
  readonly placed: readonly (readonly PlacedInsert[])[];
  readonly changes: readonly SourceChange[];
  /** What is cured in the running code alone. */
  readonly without: readonly PlacedFix[];
  /** What was repaired. */
  readonly options: SubjectOptions;
}

/** What is run of a row's program. */
export function rowOptions(row: RepairRow, program = compileRow(row)): SubjectOptions {
  const { program: words, ...commands } = row.subject(program);
  return subjectOf(words, commands).options;
}

/** Modules are the user's if they are compiled from our guests. */
export const mend = (row: RepairRow, inPlace = false): Promise<Mended> =>
  mended(rowOptions(row), guests, inPlace, (repair) => repair.run());

/** What a repair of a program makes of its sources, which lie in a folder. */
export async function mended<Result extends Repaired>(
  options: SubjectOptions,
  folder: string,
  inPlace: boolean,
  run: (repair: Repair) => Promise<Result>,
): Promise<Mended & Result> {
  const isOwn = (module: string) => module === options.program[0];
  const ports = {
    syntax: await openTestSyntax(),
    readSource: (path: string) => (path.startsWith(folder) ? readText(path, "source") : undefined),
    isOwn,
    shownPath: (path: string) => relative(folder, path),
  };
  const sources = new OpenSources(ports);
  const errors: RepairPorts["errors"] = async (subject, show) => {
    const { findings, traced } = await sessionOf(subject, false);
    show(traced);
    return findings.filter(({ rule }) => rule.severity === "error");
  };
  const repair = new Repair(options, { host: realPorts(), isOwn, errors, ...(!inPlace && { sources }) });
  const repaired = await run(repair);
  const newPatch = () => new SourcePatch(ports, sources);
  const { whole, without, changes } = await fixesInSource(repaired, newPatch, (patches) => repair.foundWith(patches));
  return { ...repaired, placed: whole.map(({ placed }) => placed), without, changes, options };
}

/** A guest of a folder of guests, beside which it is built. */
export function buildIn(folder: string, source: string, flags: readonly string[], level: string): string {
  const program = join(folder, `../program${level}`);
  const [compiler, words] = compilation(join(folder, source), program, [level, "-g", ...flags]);
  execFileSync(compiler, words, { stdio: "pipe" });
  return program;
}

/** A copy of the guests that git patches; what is built there comes with its errors. */
export class PatchedGuests {
  readonly #folder = mkdtempSync(join(tmpdir(), "blackout-mended-"));

  constructor(changes: readonly SourceChange[], from = guests) {
    cpSync(from, join(this.#folder, "guests"), { recursive: true });
    const diff = changes.map((change) => change.diff).join("");
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: this.#folder, GIT_DIR: "/nonexistent" };
    execFileSync("git", ["apply", "-"], { cwd: join(this.#folder, "guests"), input: diff, env, stdio: "pipe" });
  }

  errorsAt(row: RepairRow, level: string): Promise<readonly Finding[]> {
    return errorsOf(rowOptions(row, this.build(row, level)));
  }

  build({ source, flags }: Pick<RepairRow, "source" | "flags">, level: string): string {
    return buildIn(join(this.#folder, "guests"), source, flags, level);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
