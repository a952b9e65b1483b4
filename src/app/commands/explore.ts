/** `blackout explore`: every crash state of a program's run, by what its recovery reads of it. */

import type { Command } from "commander";
import { InputError } from "../../base/index.ts";
import {
  type AgainEngine,
  type ExploreEngine,
  type ExploreOptions,
  enumerateEngine,
  exploreAgainEngine,
  exploreEngine,
  jaaruEngine,
} from "../../engines/index.ts";
import { monotonicSeconds, stdoutLine } from "../../host/index.ts";
import { Subject } from "../../session/subject/index.ts";
import { type CrashEngine, judgingFor, type Undisturbed } from "../../session/work/index.ts";
import { exitCode } from "./exit-codes.ts";
import {
  type ExplorationFlags,
  endExploration,
  explorationCommand,
  refuseOrdered,
  refuseSeveral,
  runExploration,
} from "./explorations.ts";
import { atLeastOne } from "./options.ts";
import { alarmedPorts, subjectOptions } from "./program-options.ts";
import { addLeaksOption, judgingOf } from "./recoveries.ts";
import { addReportOptions, parseWithConfig } from "./report-options.ts";

interface ExploreFlags extends ExplorationFlags {
  readonly enumerate?: boolean;
  readonly estimate?: boolean;
  readonly jaaruLike?: boolean;
  readonly depth: number;
  readonly explain?: boolean;
  readonly findChecksums: boolean;
}

// biome-ignore format: columns stay aligned
export const exploreCommandLine = (): Command =>
  addReportOptions(addLeaksOption(explorationCommand("blackout explore"))
    .description("Runs a program and looks at every state that a crash can leave of its persistent memory, by what its recovery reads.")
    .option("--depth <n>",             "power cuts in all, one after another: all but the first fall inside recovery", atLeastOne("--depth"), 1)
    .option("--no-find-checksums",     "do not look for checksum functions: explore every combination of what they read")
    .option("--explain",               "for each failure, list the loads of recovery that could read several stores, and why")
    .option("--estimate",              "count failure points and crash states, and run only the undisturbed recovery")
    .option("--enumerate",             "run recovery on every crash state, one by one (slow; for comparison)")
    .option("--jaaru-like",            "one recovery for each failure point and choice of stores (slow; for comparison)")
    .option("--stats",                 "print one JSON line of statistics on stderr"));

/** "There are 29 failure points with 379135 crash states …": what an exploration would have before it. */
function estimate(flags: ExploreFlags, program: readonly string[]): number {
  const subject = new Subject(subjectOptions(flags, program, false), alarmedPorts(flags));
  const run = subject.trace([]);
  const engine = exploreEngine({ platform: flags.platform, checksums: flags.checksum });
  judgingFor(judgingOf(flags), subject, run, engine.undisturbed);
  const { points, states, mostOpen, contents, seconds } = engine.estimate(run, subject, monotonicSeconds);
  stdoutLine(
    `There are ${points} failure points with ${states} crash states; lines have ${contents} contents in all, and at most ${mostOpen} lines are open at once. One recovery takes about ${seconds.toPrecision(2)} s: ${points} of them, about as many as there are points where little that is not persisted is read, take ${Math.ceil(points * seconds)} s.`,
  );
  return exitCode.clean;
}

function exploreOptions(flags: ExploreFlags) {
  const { checksum, platform, creation, maxExecutions, explain, findChecksums, schedules = 0 } = flags;
  return {
    ...{ checksums: checksum, platform, creation, explains: explain === true, findsChecksums: findChecksums },
    severalRuns: schedules > 0,
    ...(maxExecutions !== undefined && { maxExecutions }),
  } satisfies ExploreOptions;
}

interface ChosenEngine {
  readonly engine: CrashEngine;
  /** What it has to say in numbers. */
  readonly numbers: () => object | undefined;
  /** Functions of which it assumes that they take checksums. */
  readonly checksums: () => readonly string[];
  readonly undisturbed?: Undisturbed;
}

function engineFor(flags: ExploreFlags): ChosenEngine {
  const { depth, enumerate, jaaruLike, platform, creation } = flags;
  const plain = { numbers: () => undefined, checksums: () => [] };
  if (enumerate) return { engine: enumerateEngine(platform, depth) as CrashEngine, ...plain };
  if (jaaruLike) return { engine: jaaruEngine(platform, creation) as CrashEngine, ...plain };
  const told = (engine: ExploreEngine | AgainEngine) => ({
    engine: engine as CrashEngine,
    numbers: () => engine.statistics(),
    checksums: () => engine.checksums(),
  });
  if (depth > 1) return told(exploreAgainEngine(depth, exploreOptions(flags)));
  const explore = exploreEngine(exploreOptions(flags));
  return { ...told(explore), undisturbed: explore.undisturbed };
}

function refuseDepth({ depth, jaaruLike, estimate: estimates, leaks }: ExploreFlags): void {
  if (leaks && (depth > 1 || jaaruLike))
    throw new InputError(
      "explore/leaks",
      "--leaks goes with one power cut and with explore's own way: leave out --depth and --jaaru-like.",
    );
  if (depth > 1 && (jaaruLike || estimates))
    throw new InputError("explore/depth", "--depth goes with explore itself and with --enumerate: leave it out here.");
}

export async function exploreCommand(args: readonly string[]): Promise<number> {
  const command = exploreCommandLine();
  parseWithConfig(command, "explore", args);
  const flags = command.opts<ExploreFlags>();
  refuseSeveral("explore", flags);
  refuseDepth(flags);
  if (flags.depth > 1) refuseOrdered("--depth", flags);
  if (flags.jaaruLike) refuseOrdered("--jaaru-like", flags);
  if (flags.estimate) return estimate(flags, command.args);
  const { engine, numbers, checksums, undisturbed } = engineFor(flags);
  const result = await runExploration(flags, command.args, { engine, ...(undisturbed && { undisturbed }) });
  return endExploration(flags, command.args, {
    command: "explore",
    result,
    engine,
    findings: result.findings,
    done: "explored",
    numbers,
    checksums,
  });
}
