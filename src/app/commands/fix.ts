/**
 * `blackout fix`: finds what a program fails to make durable in time, tries flushes and fences in its running code, and turns those
 * that cure it into a patch of its source. Exit codes: 0 nothing is left to do, or everything has a verified fix; 1 something
 * has none, or the program that was built again still fails; 2 bad input; 3 nothing was tested.
 */
import type { Command } from "commander";
import { InputError } from "../../base/index.ts";
import {
  type AddedRange,
  addedText,
  costText,
  durableText,
  fixText,
  keptText,
  leftText,
  type PlacedInsert,
  refusalText,
  removedText,
  type SourceChange,
  triedText,
  untriedText,
  withoutText,
} from "../../engines/index.ts";
import { printText, runBuild, stderrLine, writeWhole } from "../../host/index.ts";
import {
  type FixedProgram,
  type FixOptions,
  fixProgram,
  type Inserted,
  isNewer,
  patchFolder,
  type Removed,
  readFixInput,
} from "../pipeline/index.ts";
import { exitCode } from "./exit-codes.ts";
import { codeWithoutFindings, type EmptyFlags, nothingJudged } from "./nothing-tested.ts";
import { collect, collectSome, oneOf, wholeNumber } from "./options.ts";
import { alarmedPorts, programCommand, type SubjectFlags, subjectOptions } from "./program-options.ts";
import { realPipeline } from "./real-pipeline.ts";

interface FixFlags extends SubjectFlags, EmptyFlags {
  readonly expectExit: number;
  readonly oracle: "exit" | "output";
  readonly source: readonly string[];
  readonly from?: string;
  readonly inPlace?: boolean;
  readonly durable?: boolean;
  readonly performance?: boolean;
  readonly apply?: boolean;
  readonly rebuild?: string;
}

// biome-ignore format: columns stay aligned
export const fixCommandLine = (): Command =>
  programCommand("blackout fix")
    .description("Finds stores that are not durable in time, tries the flushes and fences they lack, and prints a patch.")
    .option("--recover <command>",   "the recovery or checker to run after a crash (repeatable, each on what the one before left; default: the program again)", collectSome)
    .option("--setup <command>",     "run this first, untraced; its files are there when the program starts")
    .option("--expect-exit <n>",     "the exit code of a successful recovery", wholeNumber("--expect-exit", { most: 255 }), 0)
    .option("--oracle <what>",       "exit: recovery must exit well; output: and print what it prints after a clean stop", oneOf("--oracle", ["exit", "output"]), "exit")
    .option("--pm <glob>",           "files that are persistent memory when mapped shared (repeatable; all of them if not given)", collect, [])
    .option("--pm-mode <mode>",      "dax: flushes persist; msync: only msync does, as for files without direct access", oneOf("--pm-mode", ["dax", "msync"]), "dax")
    .option("--source <dir>",        "patch source in this directory too (repeatable)", collect, [])
    .optionsGroup("How it is fixed:")
    .option("--from <file>",         "fix only what this file reports: a JSON report, a witness, a log of pmemcheck or of a tool like PMTest")
    .option("--in-place",            "insert at the stores only; copy no function for persistent memory")
    .option("--durable",             "keep the program's fences, and flush every store before the next one")
    .option("--performance",         "insert nothing; remove flushes and fences that are needless on every path through their function")
    .option("--apply",               "change the source files, too")
    .option("--allow-empty",         "exit with 0 even if nothing was tested, or only a run that failed")
    .option("--rebuild <command>",   "change the source files, build by this command, and check what was built");

export async function fixCommand(args: readonly string[]): Promise<number> {
  const command = fixCommandLine();
  command.parse([...args], { from: "user" });
  const flags = command.opts<FixFlags>();
  refuseTogether(flags);
  const fixed = await fixProgram(fixOptions(flags, command.args), realPipeline());
  const { made, program, sources, first } = fixed;
  const { changes } = made;
  const { counts, unplaced, isLeft, cut } = made.kind === "removed" ? sayRemoved(made) : sayInserted(flags, made);
  refuseNewer(changes, program);
  const isApplied = flags.apply || flags.rebuild !== undefined;
  if (isApplied) refuseUnplaced(unplaced);
  for (const { diff } of changes) printText(diff);
  if (!isApplied) sayWhereApplied(changes);
  sources.sayWithheld();
  if (isApplied) for (const { path, after } of changes) writeWhole(path, after);
  const changed = `, ${changes.length} ${changes.length === 1 ? "file" : "files"} changed`;
  stderrLine(`blackout: ${counts}${isApplied ? changed : ""}`);
  if (flags.pmMode === "msync" && isLeft)
    stderrLine("blackout: flushes and fences, which fix tries, do nothing to files that only msync persists");
  const empty = first && nothingJudged(first);
  if (empty !== undefined) stderrLine(`blackout: ${empty}`);
  if (cut !== undefined) stderrLine(`blackout: stopped: ${cut}`);
  const proposed = proposedIn(made);
  const left =
    flags.rebuild === undefined || changes.length === 0
      ? proposed.length
      : await checkAgain(flags.rebuild, changes, proposed, fixed);
  if (cut !== undefined) return exitCode.noVerdict;
  return isLeft || left > 0 ? exitCode.findings : codeWithoutFindings(empty, flags);
}

function fixOptions(flags: FixFlags, program: readonly string[]): FixOptions {
  const { expectExit, oracle, durable, performance, inPlace = false, from, time, maxHostMemory, source } = flags;
  return {
    subject: subjectOptions(flags, program, false),
    judging: { expectExit, oracle, platform: "px86" },
    source,
    what: durable ? "durable" : performance ? "needless" : "missing",
    inPlace,
    ...(from !== undefined && { wanted: readFixInput(from, alarmedPorts({})) }),
    ...(time !== undefined && { time }),
    ...(maxHostMemory !== undefined && { maxHostMemory }),
  };
}

/** What is said of the changes in the end, and what they leave to do. */
interface SaidChanges {
  readonly counts: string;
  readonly unplaced: readonly PlacedInsert[];
  readonly isLeft: boolean;
  /** What ended it before all was tried. */
  readonly cut?: string | undefined;
}

function sayInserted({ durable, from }: FixFlags, inserted: Inserted): SaidChanges {
  const { fixes, whole, without, added, refusals, left, untried, cut, missed, cost } = inserted;
  const unadded = added.filter(({ placed: { unplaced } }) => unplaced !== undefined);
  const placed = [...whole, ...without].flatMap((one) => one.placed);
  if (durable) stderrLine(`${durableText(fixes, placed)}\n`);
  else {
    for (const one of whole) stderrLine(`${fixText(one.fix, one.placed)}\n`);
    for (const one of without) stderrLine(`${withoutText(one.fix, one.placed)}\n`);
  }
  for (const one of added) stderrLine(`${addedText(one)}\n`);
  for (const refusal of refusals) stderrLine(`${refusalText(refusal)}\n`);
  for (const finding of left) stderrLine(leftText(finding));
  for (const finding of untried) stderrLine(untriedText(finding));
  for (const words of missed) stderrLine(`not found: this run shows no error that ${from} reports as ${words}`);
  const counts = [
    `${whole.length} fixed`,
    ...(added.length === unadded.length ? [] : [`${added.length - unadded.length} proposed`]),
    ...(without.length === 0 ? [] : [`${without.length} without a place in the source`]),
    `${refusals.length + unadded.length} without an automatic fix`,
    ...(untried.length === 0 ? [] : [`${untried.length} not tried`]),
    ...(cost === undefined ? [] : [costText(cost)]),
  ];
  const isLeft = without.length + refusals.length + missed.length + left.length + unadded.length > 0;
  return { counts: counts.join(", "), unplaced: placed, isLeft, cut };
}

function sayRemoved({ removed, kept }: Removed): SaidChanges {
  for (const one of removed) stderrLine(`${removedText(one)}\n`);
  for (const one of kept) stderrLine(keptText(one));
  return { counts: `${removed.length} removed, ${kept.length} kept`, unplaced: [], isLeft: false };
}

/** What is fixed is what the run shows, what a file tells of, every store, or what is needless. */
function refuseTogether({ durable, performance, from }: FixFlags): void {
  const given = [durable && "--durable", performance && "--performance", from !== undefined && "--from"].filter(
    Boolean,
  );
  if (given.length > 1)
    throw new InputError("fix/options", `${given.join(" and ")} cannot be combined: give one of them.`);
}

/** Paths count from a repository, and git takes them from where it is called. */
function sayWhereApplied(changes: readonly SourceChange[]): void {
  const folders = new Set(changes.map(({ path }) => patchFolder(path)));
  folders.delete(process.cwd());
  for (const folder of folders) stderrLine(`blackout: apply the patch in ${folder}`);
}

/** Files are changed for all fixes, or not at all. */
function refuseUnplaced(placed: readonly PlacedInsert[]): void {
  const without = placed.find(({ unplaced }) => unplaced !== undefined);
  if (without !== undefined)
    throw new InputError(
      "fix/no-source",
      `A fix has no place in the source, because ${without.unplaced}: nothing is changed. Give --source DIR if it lies elsewhere.`,
    );
}

/** Debug information of a program says nothing about source that is newer than it. */
function refuseNewer(changes: readonly SourceChange[], program: string): void {
  const newer = changes.find(({ path }) => isNewer(path, program));
  if (newer !== undefined)
    throw new InputError(
      "fix/newer-source",
      `${newer.path} is newer than the program, so that its lines may be others: build the program again first.`,
      { path: newer.path },
    );
}

/** Ranges that the changes add to transactions. */
const proposedIn = (made: FixedProgram["made"]): readonly AddedRange[] =>
  made.kind === "removed" ? [] : made.added.filter(({ placed }) => placed.unplaced === undefined);

/** How many errors the program has that is built of the patched source. */
async function checkAgain(
  command: string,
  changes: readonly SourceChange[],
  proposed: readonly AddedRange[],
  { errorsNow }: FixedProgram,
): Promise<number> {
  if (!runBuild(command)) {
    for (const { path, before } of changes) writeWhole(path, before);
    throw new InputError("fix/rebuild", `The build (${command}) failed with the patch: the sources are as they were.`, {
      command,
    });
  }
  const errors = await errorsNow();
  for (const one of proposed) stderrLine(triedText(one, errors));
  stderrLine(`blackout: built again: ${errors.length} error${errors.length === 1 ? "" : "s"}`);
  return errors.length;
}
