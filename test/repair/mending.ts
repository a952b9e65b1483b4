/** A guest with a mistake, repaired: tried in the running code, patched in a copy of its source, and built again. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import {
  injectEngine,
  type PlacedInsert,
  Repair,
  type Repaired,
  rulesEngine,
  type SourceChange,
  SourcePatch,
} from "../../src/engines/index.ts";
import type { Finding } from "../../src/finding/index.ts";
import { readText, realPorts } from "../../src/host/index.ts";
import type { SubjectOptions } from "../../src/subject/index.ts";
import { type CrashEngine, runSession } from "../../src/work/index.ts";
import { openTestSyntax } from "../source/syntax.ts";
import { subjectOf } from "../support/subject.ts";

const guests = resolve("guests");

/** The errors that a check finds. */
export async function errorsOf(subject: SubjectOptions): Promise<readonly Finding[]> {
  const { findings } = await runSession(
    {
      subject,
      judging: { expectExit: 0, oracle: "exit", platform: "px86" },
      traceEngines: [rulesEngine({ wantsAnnotations: true })],
      crashEngines: [injectEngine() as CrashEngine],
      journal: false,
    },
    { host: realPorts(), workers: undefined, progress: () => undefined },
  );
  return findings.filter(({ rule }) => rule.severity === "error");
}

export interface Mended extends Repaired {
  readonly placed: readonly (readonly PlacedInsert[])[];
  readonly changes: readonly SourceChange[];
}

/** Modules are the user's if they are compiled from our guests. */
export async function mend(program: readonly string[]): Promise<Mended> {
  const isOwn = (module: string) => module === program[0];
  const repaired = await new Repair(subjectOf(program).options, { host: realPorts(), isOwn, errors: errorsOf }).run();
  const patch = new SourcePatch({
    syntax: await openTestSyntax(),
    readSource: (path) => (path.startsWith(guests) ? readText(path, "source") : undefined),
    isOwn,
    shownPath: (path) => relative(guests, path),
  });
  const placed = repaired.fixes.map((fix) => patch.add(fix));
  return { ...repaired, placed, changes: patch.changes() };
}

/** The guest built from the patched sources, which git patches. */
export function rebuild(changes: readonly SourceChange[], source: string, flags: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "blackout-mended-"));
  cpSync(guests, join(folder, "guests"), { recursive: true });
  const diff = changes.map((change) => change.diff).join("");
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: folder, GIT_DIR: "/nonexistent" };
  execFileSync("git", ["apply", "-"], { cwd: join(folder, "guests"), input: diff, env, stdio: "pipe" });
  const program = join(folder, "program");
  const compiler = source.endsWith(".cpp") ? "g++" : "gcc";
  execFileSync(compiler, ["-o", program, join(folder, "guests", source), ...flags], { stdio: "pipe" });
  writeFileSync(join(folder, "patch.diff"), diff);
  return program;
}
