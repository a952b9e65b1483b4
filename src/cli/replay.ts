/** `blackout replay`: the crashes of a witness file once more, and the crashed files for other tools to look at. */
import { join } from "node:path";
import type { HostPorts } from "../base/index.ts";
import { readText, stdoutLine, writeTree } from "../host/index.ts";
import { describeVerdict, readWitnesses, type Witness } from "../report/index.ts";
import { replayWitness } from "../work/index.ts";
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
  "as recorded": "",
  "fails otherwise": ": it failed otherwise when it was recorded",
  cured: ": the failure is gone",
} as const;

function replayOne(witness: Witness, number: number, folder: string | undefined, ports: HostPorts): number {
  const { replayed, files } = replayWitness(witness, ports);
  if (replayed.answer === "no such crash") {
    stdoutLine(`witness ${number}: there is no such crash before event ${replayed.before}: the program has changed`);
    return exitCode.noVerdict;
  }
  const { answer, ended } = replayed;
  stdoutLine(`witness ${number}: recovery ${describeVerdict(ended.verdict)}${remarks[answer]}`);
  if (ended.stderr !== "") stdoutLine(ended.stderr.trimEnd());
  if (witness.expected.stdout !== undefined) stdoutLine(ended.stdout.trimEnd());
  if (folder !== undefined) writeTree(join(folder, String(number)), files);
  return codes[answer];
}

interface ReplayFlags {
  readonly dump?: string;
  readonly time?: number;
  readonly maxHostMemory?: number;
}

export async function replayCommand(args: readonly string[]): Promise<number> {
  const command = ownCommand("blackout replay")
    .description(
      "Runs the crashes of a witness file once more; exits with 1 when recovery fails, 0 when it no longer does.",
    )
    .argument("<witness>", "a file that blackout check --witness wrote")
    .option("--time <duration>", "stop after 90s, 10m or 2h", duration("--time"))
    .option(
      "--max-host-memory <bytes>",
      "memory that Blackout itself may hold (default: half of what there is, at most 8Gi)",
      atLeastOne("--max-host-memory"),
    )
    .option("--dump <dir>", "write the crashed persistent files there, a folder for each crash");
  command.parse([...args], { from: "user" });
  const file = command.args[0]!;
  const flags = command.opts<ReplayFlags>();
  const ports = alarmedPorts(flags);
  const ends = readWitnesses(file, readText(file, "witness")).map((witness, at) =>
    replayOne(witness, at + 1, flags.dump, ports),
  );
  return Math.max(exitCode.clean, ...ends);
}
