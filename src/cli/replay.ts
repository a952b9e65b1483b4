/** `blackout replay`: the crashes of a witness file once more, and the crashed files for other tools to look at. */
import { join } from "node:path";
import { type HostPorts, InputError, printable } from "../base/index.ts";
import { readText, stdoutLine } from "../host/index.ts";
import { describeVerdict, readWitnesses, type Witness } from "../report/index.ts";
import { differencesFrom, replayWitness } from "../work/index.ts";
import { writeDump } from "./dump.ts";
import { exitCode } from "./exit-codes.ts";
import { atLeastOne, duration, ownCommand } from "./options.ts";
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
  stdoutLine(`witness ${number}: recovery ${describeVerdict(ended.verdict)}${remarks[answer]}`);
  if (ended.stderr !== "") stdoutLine(ended.stderr.trimEnd());
  if (witness.expected.printed !== undefined) stdoutLine(ended.stdout.trimEnd());
  if (folder !== undefined && remains !== undefined) {
    const script = writeDump(join(folder, String(number)), witness, remains);
    stdoutLine(`witness ${number}: to run recovery natively on the crashed files: sh ${printable(script)}`);
  }
  return codes[answer];
}

interface ReplayFlags {
  readonly dump?: string;
  readonly only?: number;
  readonly time?: number;
  readonly maxHostMemory?: number;
}

/** Each with its number, from 1 on. */
function chosen(witnesses: readonly Witness[], only: number | undefined): readonly (readonly [Witness, number])[] {
  const numbered = witnesses.map((witness, at) => [witness, at + 1] as const);
  if (only === undefined) return numbered;
  const one = numbered.filter(([, number]) => number === only);
  if (one.length === 0)
    throw new InputError("replay/only", `There is no witness ${only}: the file has ${witnesses.length}.`, { only });
  return one;
}

export async function replayCommand(args: readonly string[]): Promise<number> {
  const command = ownCommand("blackout replay")
    .description(
      "Runs the crashes of a witness file once more; exits with 1 when recovery fails, 0 when it no longer does.",
    )
    .argument("<witness>", "a file that blackout check --witness wrote")
    .option("--only <n>", "only the n-th crash of the file", atLeastOne("--only"))
    .option("--time <duration>", "stop after 90s, 10m or 2h", duration("--time"))
    .option(
      "--max-host-memory <bytes>",
      "memory that Blackout itself may hold (default: half of what there is, at most 8Gi)",
      atLeastOne("--max-host-memory"),
    )
    .option("--dump <dir>", "write the crashed files there, a folder for each crash, with a script that opens them");
  command.parse([...args], { from: "user" });
  const file = command.args[0]!;
  const flags = command.opts<ReplayFlags>();
  const ports = alarmedPorts(flags);
  const ends = chosen(readWitnesses(file, readText(file, "witness")), flags.only).map(([witness, number]) =>
    replayOne(witness, number, flags.dump, ports),
  );
  return Math.max(exitCode.clean, ...ends);
}
