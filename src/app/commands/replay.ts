/** `blackout replay`: the crashes of a witness file once more, and the crashed files for other tools to look at. */
import { join } from "node:path";
import type { Command } from "commander";
import { type HostPorts, InputError, printable, printableLines } from "../../base/index.ts";
import { describeVerdict, readWitnesses, type Witness } from "../../crash/states/index.ts";
import { isFolder, readText, stdoutLine, writeTree } from "../../host/index.ts";
import { leakText } from "../../report/render/index.ts";
import { differencesFrom, replayWitness } from "../../session/work/index.ts";
import { bundleFiles } from "./bundle-folder.ts";
import { dumpFiles, openingName } from "./dump.ts";
import { exitCode } from "./exit-codes.ts";
import { isKeptName, keptWitness } from "./kept-witnesses.ts";
import { atLeastOne, duration, ownCommand, withExamples } from "./options.ts";
import { alarmedPorts } from "./program-options.ts";

/** What each answer means for the exit code; the worst of all witnesses counts. */
const codes = {
  "as recorded": exitCode.findings,
  "fails otherwise": exitCode.findings,
  cured: exitCode.clean,
} as const;

const remarks = {
  "as recorded": ", as recorded",
  "fails otherwise": ": it failed otherwise when it was recorded",
  cured: ": the failure is gone",
} as const;

function replayOne(witness: Witness, number: number, folder: string | undefined, ports: HostPorts): number {
  for (const difference of differencesFrom(witness, ports)) stdoutLine(`witness ${number}: ${printable(difference)}`);
  const { replayed, remains } = replayWitness(witness, ports);
  if (replayed.answer === "no such crash") {
    stdoutLine(
      `witness ${number}: there is no such crash before event ${replayed.before}: the program does not run as it did; run check again`,
    );
    return exitCode.noVerdict;
  }
  const { answer, ended } = replayed;
  const { leaked = [] } = witness.expected;
  const leaks = leaked.length === 0 || answer === "cured" ? "" : ` and ${leakText(leaked)}`;
  stdoutLine(`witness ${number}: recovery ${describeVerdict(ended.verdict)}${printable(leaks)}${remarks[answer]}`);
  for (const said of [ended.stdout, ended.stderr]) sayQuoted(said);
  if (folder !== undefined && remains !== undefined) {
    writeTree(folder, dumpFiles(String(number), witness, remains));
    const script = join(folder, String(number), openingName);
    stdoutLine(`witness ${number}: to run recovery natively on the crashed files: sh ${printable(script)}`);
  }
  return codes[answer];
}

/** What recovery printed, each line marked as its own: it may look like ours. */
function sayQuoted(said: string): void {
  if (said.trim() === "") return;
  for (const line of printableLines(said.trimEnd()).split("\n")) stdoutLine(`  | ${line}`);
}

interface ReplayFlags {
  readonly finding?: string;
  readonly dump?: string;
  readonly only?: number;
  readonly time?: number;
  readonly maxHostMemory?: number;
}

/** A bundle is a folder with a witness in it. */
const witnessFile = (file: string): string => (isFolder(file) ? join(file, bundleFiles.witness) : file);

/** Each with its number, from 1 on. */
function chosen(
  file: string,
  all: readonly Witness[],
  { finding, only }: ReplayFlags,
): readonly (readonly [Witness, number])[] {
  const numbered = all.map((witness, at) => [witness, at + 1] as const);
  const found = numbered.filter(([{ fingerprint }]) => finding === undefined || fingerprint === finding);
  if (found.length === 0 && finding !== undefined)
    throw new InputError("replay/no-finding", `${file} has no crash of a finding ${finding}.`, { file, finding });
  if (only === undefined) return found;
  const one = found.filter(([, number]) => number === only);
  if (one.length === 0)
    throw new InputError("replay/only", `There is no witness ${only}: the file has ${all.length}.`, { only });
  return one;
}

export const replayCommandLine = (): Command =>
  withExamples(
    ownCommand("blackout replay")
      .description(
        "Runs the crashes of a witness file once more; exits with 1 when recovery fails, 0 when it no longer does.",
      )
      .argument("<witness>", "what check --witness or --bundle wrote, or the name that a recent report gave a finding")
      .option("--finding <fingerprint>", "only the crash of this finding")
      .option("--only <n>", "only the n-th crash of the file", atLeastOne("--only"))
      .option("--time <duration>", "stop after 90s, 10m or 2h", duration("--time"))
      .option(
        "--max-host-memory <bytes>",
        "memory that Blackout itself may hold (default: half of what there is, at most 8Gi)",
        atLeastOne("--max-host-memory"),
      )
      .option("--dump <dir>", "write the crashed files there, a folder for each crash, with a script that opens them"),
    ["blackout replay 4e2eb44781f28dd6", "a finding of a recent check, by the name in its report"],
    ["blackout replay crashes.json --dump crashed", "all crashes of a file, and the files that each left"],
  );

export async function replayCommand(args: readonly string[]): Promise<number> {
  const command = replayCommandLine();
  command.parse([...args], { from: "user" });
  const file = command.args[0]!;
  const flags = command.opts<ReplayFlags>();
  const ports = alarmedPorts(flags);
  const all = isKeptName(file) ? keptWitness(file) : readWitnesses(file, readText(witnessFile(file), "witness"));
  const ends = chosen(file, all, flags).map(([witness, number]) => replayOne(witness, number, flags.dump, ports));
  return Math.max(exitCode.clean, ...ends);
}
