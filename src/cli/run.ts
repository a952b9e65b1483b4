/** `blackout run`: the program in the machine, its streams passed through, its exit code ours. */
import type { Command } from "commander";
import { cpuSeconds, stderrLine } from "../host/index.ts";
import type { Machine, Outcome } from "../vm/index.ts";
import { exitCode } from "./exit-codes.ts";
import { collect, ownCommand, wholeNumber } from "./options.ts";
import { loadProgram, type ProgramOptions } from "./program.ts";

/** Options that every command which runs a program takes. */
export const programCommand = (name: string): Command =>
  ownCommand(name)
    .argument("<program...>", "the program and its arguments, after --")
    .passThroughOptions()
    .option("--seed <n>", "seed of the scheduler and of everything random", wholeNumber("--seed"), 0)
    .option("--rw <dir>", "let the program's writes below this directory reach the host (repeatable)", collect, [])
    .option("--root <dir>", "another file tree as the program's /")
    .option("--env <K=V>", "set a variable for the program; a name alone passes ours on (repeatable)", collect, [])
    .option("--max-instructions <n>", "stop after so many instructions", wholeNumber("--max-instructions"))
    .option("--max-memory <bytes>", "address space the program may map", wholeNumber("--max-memory"))
    .option("--max-threads <n>", "threads alive at once", wholeNumber("--max-threads"))
    .option("--max-output <bytes>", "bytes to stdout and stderr together", wholeNumber("--max-output"))
    .option("--max-file-bytes <bytes>", "bytes of files kept in memory", wholeNumber("--max-file-bytes"))
    .option("--max-files <n>", "files and directories the program may create", wholeNumber("--max-files"))
    .option("--max-descriptors <n>", "files open at once", wholeNumber("--max-descriptors"))
    .option("--no-jit", "interpret everything");

export async function runCommand(args: readonly string[]): Promise<number> {
  const command = programCommand("blackout run")
    .description("Runs an unmodified x86-64 Linux program in the machine.")
    .option("--stats", "print one JSON line of statistics on stderr");
  command.parse([...args], { from: "user" });
  const options = command.opts<ProgramOptions>();
  const started = cpuSeconds();
  const machine = loadProgram(options, command.args);
  const result = machine.run();
  if (options.rw.length > 0) machine.kernel.writeBack();
  if (options.stats) stderrLine(JSON.stringify(statistics(machine, started)));
  if (result.kind !== "ended") return exitCode.noVerdict;
  if (endedInLoader(machine, result.outcome)) {
    stderrLine(`blackout: ${command.args[0]} could not be loaded: install what its loader misses, or see --root.`);
    return exitCode.badInput;
  }
  return report(result.outcome);
}

/** What the dynamic linker exits with, after its own sentence, when a library or a symbol is missing. */
const loaderGaveUp = 127;

const endedInLoader = (machine: Machine, outcome: Outcome): boolean =>
  outcome.kind === "exit" &&
  outcome.code === loaderGaveUp &&
  /\(ld[-.][^)]*\)/.test(machine.kernel.site(Number(machine.cpu.rip)));

function statistics(machine: Machine, started: number) {
  const { instructions, seconds, regions, peakBytes } = machine.statistics();
  return { instructions, seconds: { ...seconds, total: cpuSeconds() - started }, regions, peakGuestBytes: peakBytes };
}

/** Says how the guest ended when its exit code alone would not, and gives the exit code. */
function report(outcome: Outcome): number {
  switch (outcome.kind) {
    case "exit":
      return outcome.code;
    case "signal": {
      const where = outcome.address === undefined ? "" : `, accessing 0x${outcome.address.toString(16)}`;
      stderrLine(`blackout: the program was killed by ${outcome.name} at ${outcome.site}${where}`);
      return 128 + outcome.signal;
    }
    case "deadlock":
      stderrLine("blackout: every thread waits and none can be woken:");
      for (const thread of outcome.threads) stderrLine(`  ${JSON.stringify(thread)}`);
      return exitCode.noVerdict;
    case "limit":
      stderrLine(`blackout: ${outcome.message}`);
      return exitCode.noVerdict;
  }
}
