/** `blackout robust`: whether recovery can read what no crash leaves while stores persist in their order, and what puts them in order. */
import type { Command } from "commander";
import { counted } from "../base/index.ts";
import {
  type FixPoint,
  type FoundWith,
  fixPoint,
  orderFixText,
  type RobustOptions,
  robustEngine,
  verifyFixes,
} from "../engines/index.ts";
import { stderrLine } from "../host/index.ts";
import type { CrashEngine, SessionResult } from "../work/index.ts";
import { exitCode } from "./exit-codes.ts";
import {
  type ExplorationFlags,
  endExploration,
  explorationCommand,
  refuseOrdered,
  refuseSeveral,
  runExploration,
} from "./explorations.ts";
import { atLeastOne, collect } from "./options.ts";
import { alarmedPorts } from "./program-options.ts";
import { coverageOf } from "./recoveries.ts";
import { addReportOptions, parseWithConfig } from "./report-options.ts";

interface RobustFlags extends ExplorationFlags {
  readonly verify: boolean;
  readonly fixPoint?: boolean;
  readonly executions?: number;
  readonly ignore: readonly string[];
}

// biome-ignore format: columns stay aligned
export const robustCommandLine = (): Command =>
  addReportOptions(explorationCommand("blackout robust")
    .description("Finds stores that a crash can keep in another order than they are made in, and the flush that is missing, whether or not recovery fails.")
    .option("--executions <n>",        "judge so many recoveries on crash states by chance, rather than all (--seed draws others)", atLeastOne("--executions"))
    .option("--ignore <what>",         "stores to this field (its name, or the end of it) or to these bytes of a file (OFFSET+BYTES) do not count (repeatable)", collect, [])
    .option("--no-verify",             "do not try each fix in the running program")
    .option("--fix-point",             "apply verified fixes in the running program until no error is left, and print them")
    .option("--stats",                 "print one JSON line of statistics on stderr"));

/** What threads read of each other orders their stores. */
const watchedThreads = { meetings: true };

/** The program once more, with flushes and fences in its running code; until the command's time is up. */
function judgedWith(flags: RobustFlags, program: readonly string[], options: RobustOptions): FoundWith {
  const host = alarmedPorts(flags);
  return async (patches) => {
    const engine = robustEngine(options);
    const { undisturbed } = engine;
    const session = {
      engine: engine as CrashEngine,
      undisturbed,
      subject: { ...watchedThreads, patches },
      host,
      unjournaled: true,
      unshown: true,
    };
    const result = await runExploration(flags, program, session);
    result.finish();
    return result.stop === undefined ? result.findings : undefined;
  };
}

function sayFixPoint({ fixed, left, patches }: FixPoint): void {
  for (const finding of fixed) stderrLine(`${orderFixText(finding)}\n`);
  const flushes = patches.filter(({ insert }) => insert !== "sfence").length;
  stderrLine(
    `blackout: with ${counted(flushes, "flush", "flushes")} and ${counted(patches.length - flushes, "fence")} inserted, ${left.length === 0 ? "no error is left" : `${left.length} errors are left`}`,
  );
}

/** Findings with what came of their fixes. What was not judged to the end says nothing of a fix. */
async function tried(flags: RobustFlags, { findings, stop }: SessionResult, foundWith: FoundWith) {
  if (stop !== undefined) return findings;
  if (flags.fixPoint) sayFixPoint(await fixPoint(findings, foundWith));
  return flags.verify ? verifyFixes(findings, foundWith) : findings;
}

export async function robustCommand(args: readonly string[]): Promise<number> {
  const command = robustCommandLine();
  parseWithConfig(command, "robust", args);
  const flags = command.opts<RobustFlags>();
  refuseSeveral("robust", flags);
  refuseOrdered("blackout robust", flags);
  const { maxExecutions, platform, checksum: checksums } = flags;
  const { executions, seed, ignore } = flags;
  const options = {
    platform,
    checksums,
    ignore,
    ...(maxExecutions !== undefined && { maxExecutions }),
    ...(executions !== undefined && { executions, seed }),
  };
  const engine = robustEngine(options);
  const session = { engine: engine as CrashEngine, undisturbed: engine.undisturbed, subject: watchedThreads };
  const result = await runExploration(flags, command.args, session);
  const findings = await tried(flags, result, judgedWith(flags, command.args, options));
  const isChance = executions !== undefined;
  const { states, pointsInAll } = result.extent;
  const code = endExploration(flags, command.args, {
    command: "robust",
    result,
    engine: engine as CrashEngine,
    findings,
    ...(isChance && { coverage: { ...coverageOf(result), exhaustive: false } }),
    done: isChance
      ? () => `blackout: judged ${states} recoveries on crash states by chance, at ${pointsInAll} failure points`
      : "judged",
    numbers: () => engine.statistics(),
  });
  // Chance proves nothing.
  return isChance && code === exitCode.clean ? exitCode.noVerdict : code;
}
