/** `blackout robust`: whether recovery can read what no crash leaves while stores persist in their order, and what puts them in order. */
import type { Command } from "commander";
import { counted, type HostPorts, InputError, Stopped } from "../../base/index.ts";
import {
  type FixPoint,
  type FoundWith,
  fixPoint,
  orderFixText,
  robustChainsEngine,
  robustEngine,
  verifyFixes,
} from "../../engines/index.ts";
import { realPorts, stderrLine } from "../../host/index.ts";
import { withLibrariesMilder } from "../../report/render/index.ts";
import { programFile } from "../../session/subject/index.ts";
import type { CrashEngine, SessionResult } from "../../session/work/index.ts";
import { ownModule } from "./deliver.ts";
import { exitCode } from "./exit-codes.ts";
import {
  type ExplorationFlags,
  type ExplorationSession,
  endExploration,
  explorationCommand,
  refuseOrdered,
  refuseSeveral,
  runExploration,
} from "./explorations.ts";
import { atLeastOne, collect, oneOf } from "./options.ts";
import { alarmedPorts, programOptions } from "./program-options.ts";
import { coverageOf } from "./recoveries.ts";
import { addReportOptions, parseWithConfig } from "./report-options.ts";

/** Recoveries by chance, where nobody says how many. */
const usualExecutions = 10_000;

interface RobustFlags extends ExplorationFlags {
  readonly verify: boolean;
  readonly fixPoint?: boolean;
  readonly executions?: number | undefined;
  readonly depth: number;
  readonly stop?: "first" | undefined;
  readonly ignore: readonly string[];
}

type GivenFlags = Omit<RobustFlags, "executions"> & { readonly executions?: number | true };

// biome-ignore format: columns stay aligned
export const robustCommandLine = (): Command =>
  addReportOptions(explorationCommand("blackout robust")
    .description("Finds stores that a crash can keep in another order than they are made in, and the flush that is missing, whether or not recovery fails.")
    .option("--executions [n]",        "judge this many random crash states instead of all (10000 if no number is given; --seed chooses others)", atLeastOne("--executions"))
    .option("--depth <n>",             "power cuts in all, one after another: all but the first fall inside recovery; every crash state by itself", atLeastOne("--depth"), 1)
    .option("--ignore <what>",         "stores to this field (its name, or the end of it) or to these bytes of a file (OFFSET+BYTES) do not count (repeatable)", collect, [])
    .option("--stop <when>",           "first: judge no more once there is an error", oneOf("--stop", ["first"]))
    .option("--no-verify",             "do not try each fix in the running program")
    .option("--fix-point",             "apply verified fixes in the running program until no error is left, and print them")
    .option("--stats",                 "print one JSON line of statistics on stderr"));

/** Who judges, and what it says of itself. */
interface Judges {
  readonly session: Pick<ExplorationSession, "engine" | "undisturbed">;
  readonly statistics: () => object | undefined;
}

function judgesOf(flags: RobustFlags): Judges {
  const { depth, platform, checksum, ignore, maxExecutions, executions, seed } = flags;
  const stopAtFirst = flags.stop === "first";
  if (depth > 1) {
    const engine = robustChainsEngine(depth, { platform, stopAtFirst });
    return { session: { engine: engine as CrashEngine }, statistics: () => engine.statistics() };
  }
  const engine = robustEngine({
    platform,
    checksums: checksum,
    ignore,
    stopAtFirst,
    ...(maxExecutions !== undefined && { maxExecutions }),
    ...(executions !== undefined && { executions, seed }),
  });
  const { undisturbed } = engine;
  return { session: { engine: engine as CrashEngine, undisturbed }, statistics: () => engine.statistics() };
}

function refuseDepth({ depth, executions, ignore, checksum, maxExecutions }: RobustFlags): void {
  const isMore = executions !== undefined || maxExecutions !== undefined || ignore.length + checksum.length > 0;
  if (depth > 1 && isMore)
    throw new InputError(
      "robust/depth",
      "--depth judges every crash state by itself: leave out --executions, --max-executions, --ignore and --checksum.",
    );
}

/** What threads read of each other orders their stores. */
const watchedThreads = { meetings: true };

/** The program once more, with flushes and fences in its running code; undefined where the command's time ends that. */
function judgedWith(flags: RobustFlags, program: readonly string[], host: HostPorts, judges: () => Judges): FoundWith {
  const judge: FoundWith = async (patches) => {
    const session = {
      ...judges().session,
      subject: { ...watchedThreads, patches },
      host,
      unjournaled: true,
      unshown: true,
    };
    const result = await runExploration(flags, program, session);
    result.finish();
    return result.stop === undefined ? result.findings : undefined;
  };
  return async (patches) => {
    try {
      return await judge(patches);
    } catch (error) {
      if (error instanceof Stopped) return undefined;
      throw error;
    }
  };
}

function sayFixPoint({ fixed, left, patches }: FixPoint): void {
  for (const finding of fixed) stderrLine(`${orderFixText(finding)}\n`);
  const flushes = patches.filter(({ insert }) => insert !== "sfence").length;
  stderrLine(
    `blackout: with ${counted(flushes, "flush", "flushes")} and ${counted(patches.length - flushes, "fence")} inserted, ${left.length === 0 ? "no error is left" : `${left.length} errors are left`}`,
  );
}

/** Findings with what came of their fixes, each judged to the end. What a limit stopped says nothing of a fix. */
async function tried(flags: RobustFlags, { findings, stop }: SessionResult, foundWith: FoundWith) {
  if (stop !== undefined && stop !== "first") return findings;
  if (flags.fixPoint) sayFixPoint(await fixPoint(findings, foundWith));
  return flags.verify ? verifyFixes(findings, foundWith) : findings;
}

export async function robustCommand(args: readonly string[]): Promise<number> {
  const command = robustCommandLine();
  parseWithConfig(command, "robust", args);
  const given = command.opts<GivenFlags>();
  const { executions } = given;
  const flags: RobustFlags = { ...given, executions: executions === true ? usualExecutions : executions };
  refuseSeveral("robust", flags);
  refuseOrdered("blackout robust", flags);
  refuseDepth(flags);
  const { session, statistics } = judgesOf(flags);
  const host = alarmedPorts(flags);
  const result = await runExploration(flags, command.args, { ...session, host, subject: watchedThreads });
  const own = ownModule(programFile(programOptions(flags), command.args, realPorts()), flags);
  const findings = await tried(
    flags,
    { ...result, findings: withLibrariesMilder(result.findings, own) },
    judgedWith(flags, command.args, host, () => judgesOf({ ...flags, stop: undefined })),
  );
  const isChance = flags.executions !== undefined;
  const { states, pointsInAll } = result.extent;
  const code = endExploration(flags, command.args, {
    command: "robust",
    result,
    engine: session.engine,
    findings,
    ...(isChance && { coverage: { ...coverageOf(result), exhaustive: false } }),
    done: isChance
      ? () => `blackout: judged ${states} recoveries on crash states by chance, at ${pointsInAll} failure points`
      : "judged",
    numbers: statistics,
  });
  // Chance proves nothing.
  return isChance && code === exitCode.clean ? exitCode.noVerdict : code;
}
