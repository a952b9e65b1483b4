/** The commands by name, each loaded when it is named, so that none pays for another. */
import type { Command } from "commander";
import { nearestName } from "../../base/index.ts";

export type Run = (args: string[]) => Promise<number>;

export interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<Run>;
  /** Its options, for help and completion; undefined where it reads its words itself. */
  readonly line?: () => Promise<Command>;
  /** What may stand behind it, where that is one of a few words. */
  readonly words?: () => Promise<readonly string[]>;
}

export const commands: Readonly<Record<string, CommandEntry>> = {
  check: {
    summary: "cut the power at failure points and run recovery",
    load: async () => (await import("./check.ts")).checkCommand,
    line: async () => (await import("./check.ts")).checkCommandLine(),
  },
  trace: {
    summary: "judge what a program does to persistent memory",
    load: async () => (await import("./trace.ts")).traceCommand,
    line: async () => (await import("./trace.ts")).traceCommandLine(),
  },
  explore: {
    summary: "look at every state that a crash can leave",
    load: async () => (await import("./explore.ts")).exploreCommand,
    line: async () => (await import("./explore.ts")).exploreCommandLine(),
  },
  represent: {
    summary: "test one of the updates that look alike",
    load: async () => (await import("./represent.ts")).representCommand,
    line: async () => (await import("./represent.ts")).representCommandLine(),
  },
  robust: {
    summary: "find stores that persist out of order, and the missing flush",
    load: async () => (await import("./robust.ts")).robustCommand,
    line: async () => (await import("./robust.ts")).robustCommandLine(),
  },
  prove: {
    summary: "prove what no crash leaves, for every schedule",
    load: async () => (await import("./prove.ts")).proveCommand,
    line: async () => (await import("./prove.ts")).proveCommandLine(),
  },
  symbolic: {
    summary: "judge every path that unknown input makes a program take",
    load: async () => (await import("./symbolic.ts")).symbolicCommand,
    line: async () => (await import("./symbolic.ts")).symbolicCommandLine(),
  },
  fix: {
    summary: "patch what is not durable in time",
    load: async () => (await import("./fix.ts")).fixCommand,
    line: async () => (await import("./fix.ts")).fixCommandLine(),
  },
  replay: {
    summary: "run the crashes of a finding again",
    load: async () => (await import("./replay.ts")).replayCommand,
    line: async () => (await import("./replay.ts")).replayCommandLine(),
  },
  explain: {
    summary: "say what a rule means, with an example and its fix",
    load: async () => (await import("./explain.ts")).explainCommand,
    line: async () => (await import("./explain.ts")).explainCommandLine(),
    words: async () => (await import("./explain.ts")).explainedRules(),
  },
  page: {
    summary: "write a JSON report as a page to read",
    load: async () => (await import("./page.ts")).pageCommand,
    line: async () => (await import("./page.ts")).pageCommandLine(),
  },
  run: {
    summary: "run a program in the machine",
    load: async () => (await import("./run.ts")).runCommand,
    line: async () => (await import("./run.ts")).runCommandLine(),
  },
  litmus: {
    summary: "run litmus tests on the two persistency models",
    load: async () => (await import("./litmus.ts")).litmusCommand,
  },
  worker: {
    summary: "judge for the checks of other computers",
    load: async () => (await import("./fleet-worker.ts")).workerCommand,
    line: async () => (await import("./fleet-worker.ts")).workerCommandLine(),
  },
  fleet: {
    summary: "say who is in a fleet of workers and what they do",
    load: async () => (await import("./fleet-status.ts")).fleetCommand,
    line: async () => (await import("./fleet-status.ts")).fleetCommandLine(),
  },
  doctor: {
    summary: "report what this computer lacks, and what a program uses",
    load: async () => (await import("./doctor.ts")).doctorCommand,
    line: async () => (await import("./doctor.ts")).doctorCommandLine(),
  },
  completion: {
    summary: "print a completion script for bash, zsh or fish",
    load: async () => (await import("./completion.ts")).completionCommand,
    line: async () => (await import("./completion.ts")).completionCommandLine(),
    words: async () => (await import("./completion.ts")).shellNames,
  },
};

/** The command that was meant, if one is near. */
export const nearestCommand = (name: string): string | undefined => nearestName(name, Object.keys(commands));
