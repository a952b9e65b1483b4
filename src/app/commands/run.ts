/** `blackout run`: the program in the machine, its streams passed through, its exit code ours. */
import type { Command } from "commander";
import { cpuSeconds, hearInterrupts, stderrLine } from "../../host/index.ts";
import { type Interrupts, runProgram } from "../../session/subject/index.ts";
import { exitCode } from "./exit-codes.ts";
import { withExamples } from "./options.ts";
import { alarmedPorts, type ProgramFlags, programCommand, programOptions } from "./program-options.ts";

/** Without granted directories nothing is left to do when a signal ends this process. */
const noInterrupts: Interrupts = { heard: async () => false, unheard: (work) => work() };

export const runCommandLine = (): Command =>
  withExamples(
    programCommand("blackout run")
      .description("Runs an unmodified x86-64 Linux program in the machine.")
      .option("--stats", "print one JSON line of statistics on stderr"),
    ["blackout run -- ./app pool", "runs it; what it writes stays inside"],
    ["blackout run --rw . --seed 7 -- ./app pool", "lets it write here, with another order of its threads"],
  );

export async function runCommand(args: readonly string[]): Promise<number> {
  const command = runCommandLine();
  command.parse([...args], { from: "user" });
  const flags = command.opts<ProgramFlags>();
  const started = cpuSeconds();
  const interrupts = flags.rw.length > 0 ? hearInterrupts() : undefined;
  const ended = await runProgram(programOptions(flags), command.args, alarmedPorts(flags), interrupts ?? noInterrupts);
  await interrupts?.end();
  const { code, says, inLoader, statistics } = ended;
  const seconds = { ...statistics.seconds, total: cpuSeconds() - started };
  if (flags.stats) stderrLine(JSON.stringify({ ...statistics, seconds }));
  if (inLoader) {
    stderrLine(`blackout: ${command.args[0]} could not be loaded: install what its loader misses, or see --root.`);
    return exitCode.badInput;
  }
  for (const line of says) stderrLine(line);
  if (ended.interrupted) return exitCode.interrupted;
  return code ?? exitCode.noVerdict;
}
