/** `blackout replay`: the crashes of a witness file once more, and the crashed files for other tools to look at. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Layout, lineBytes } from "../crash/index.ts";
import { Judge } from "../engines/index.ts";
import { stdoutLine } from "../host/index.ts";
import { textFromPath } from "../vm/index.ts";
import { crashSource } from "./check.ts";
import { describeVerdict } from "./check-findings.ts";
import { judgeOptions } from "./check-judges.ts";
import { CheckSession } from "./check-session.ts";
import { exitCode } from "./exit-codes.ts";
import { readText } from "./files.ts";
import { ownCommand } from "./options.ts";
import { type CheckWitness, readWitnesses } from "./witness.ts";

/** Writes the crashed persistent files into a directory. */
function dump(folder: string, layout: Layout): void {
  mkdirSync(folder, { recursive: true });
  const files = layout.files();
  const paths = new Set([...layout.lines].map(({ path }) => path));
  for (const path of paths) {
    const entry = files.get(path);
    if (entry?.kind !== "file") continue;
    const bytes = entry.bytes.slice();
    for (const line of layout.lines)
      if (line.path === path && line.index * lineBytes < bytes.length)
        bytes.set(line.bytes.subarray(0, bytes.length - line.index * lineBytes), line.index * lineBytes);
    writeFileSync(join(folder, basename(textFromPath(path))), bytes);
  }
}

function replayOne(witness: CheckWitness, number: number, folder: string | undefined): boolean {
  const session = new CheckSession(witness.options, witness.program);
  const run = session.trace([]);
  const { options, hangLimit } = witness;
  const { before, lost } = witness.crash;
  const { recovery } = session.recovery();
  const judge = new Judge(crashSource(run, options), recovery, judgeOptions(options, hangLimit));
  if (before > run.trace.count || !judge.canLose(before, lost)) {
    stdoutLine(`witness ${number}: there is no such crash before event ${before}: the program has changed`);
    return false;
  }
  const layout = judge.layout(before, lost);
  const ended = recovery.run(layout, hangLimit);
  stdoutLine(`witness ${number}: recovery ${describeVerdict(ended.verdict)}`);
  if (ended.stderr !== "") stdoutLine(ended.stderr.trimEnd());
  if (folder !== undefined) dump(join(folder, String(number)), layout);
  if (witness.stdout !== undefined) stdoutLine(ended.stdout.trimEnd());
  return ended.verdict.kind === witness.verdict && (witness.stdout ?? ended.stdout) === ended.stdout;
}

export async function replayCommand(args: readonly string[]): Promise<number> {
  const command = ownCommand("blackout replay")
    .description("Runs the crashes of a witness file once more; exits with 1 when recovery fails as it did.")
    .argument("<witness>", "a file that blackout check --witness wrote")
    .option("--dump <dir>", "write the crashed persistent files there, a folder for each crash");
  command.parse([...args], { from: "user" });
  const file = command.args[0]!;
  const { dump: folder } = command.opts<{ readonly dump?: string }>();
  const same = readWitnesses(file, readText(file)).map((witness, at) => replayOne(witness, at + 1, folder));
  if (same.length === 0) return exitCode.clean;
  return same.every(Boolean) ? exitCode.findings : exitCode.noVerdict;
}
