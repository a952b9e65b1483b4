/** Commands by name. The program's own flags stay its own: everything after `--` belongs to it. */
import { CommanderError } from "commander";
import { Bug, InputError, printable, Stopped } from "../base/index.ts";
import { finishCommand, stderrFailed, stderrLine, stdoutLine } from "../host/index.ts";
import { exitCode } from "./exit-codes.ts";

type Run = (args: string[]) => Promise<number>;

/** Each command is loaded when it is named, so that none pays for another. */
const commands: Readonly<Record<string, { readonly summary: string; readonly load: () => Promise<Run> }>> = {
  run: { summary: "run a program in the machine", load: async () => (await import("./run.ts")).runCommand },
  trace: {
    summary: "judge what a program does to persistent memory",
    load: async () => (await import("./trace.ts")).traceCommand,
  },
  check: {
    summary: "cut the power at failure points and run recovery",
    load: async () => (await import("./check.ts")).checkCommand,
  },
  fix: {
    summary: "patch what is not durable in time",
    load: async () => (await import("./fix.ts")).fixCommand,
  },
  explore: {
    summary: "look at every state that a crash can leave",
    load: async () => (await import("./explore.ts")).exploreCommand,
  },
  replay: {
    summary: "run the crashes of a witness file again",
    load: async () => (await import("./replay.ts")).replayCommand,
  },
  page: {
    summary: "write a JSON report as a page to read",
    load: async () => (await import("./page.ts")).pageCommand,
  },
  litmus: {
    summary: "run litmus tests on the two persistency models",
    load: async () => (await import("./litmus.ts")).litmusCommand,
  },
};

const usage = () =>
  [
    "usage: blackout COMMAND [options]",
    "",
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`),
    "",
    "blackout COMMAND --help tells more.",
  ].join("\n");

export async function main(args: readonly string[]): Promise<number> {
  try {
    const code = await dispatch(args);
    // What was found is on standard error; who cannot read it must not take the code for the whole answer.
    return stderrFailed() && args[0] !== "run" ? exitCode.badInput : code;
  } catch (error) {
    return explain(error);
  } finally {
    finishCommand();
  }
}

async function dispatch([name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    stdoutLine(usage());
    return name === undefined ? exitCode.badInput : exitCode.clean;
  }
  const command = commands[name];
  if (!command) {
    stderrLine(`blackout: there is no command "${printable(name)}".\n\n${usage()}`);
    return exitCode.badInput;
  }
  return await (await command.load())(rest);
}

function explain(error: unknown): number {
  if (error instanceof InputError) {
    stderrLine(`blackout: ${error.message}`);
    return exitCode.badInput;
  }
  if (error instanceof Stopped) {
    stderrLine(`blackout: stopped: ${error.message}`);
    return exitCode.noVerdict;
  }
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.clean : exitCode.badInput;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const kind = error instanceof Bug ? "a broken invariant" : "an unexpected error";
  stderrLine(`blackout: ${kind} in Blackout itself. Please report it with the program.\n${text}`);
  return exitCode.bug;
}
