/** Commands by name. The program's own flags stay its own: everything after `--` belongs to it. */
import { CommanderError } from "commander";
import { Bug, blackoutVersion, InputError, Interrupted, printable, Stopped } from "../../base/index.ts";
import { finishCommand, shortageOf, stderrFailed, stderrLine, stdoutLine } from "../../host/index.ts";
import { commands, nearestCommand } from "./commands.ts";
import { exitCode } from "./exit-codes.ts";

const usage = () =>
  [
    "usage: blackout COMMAND [options]",
    "",
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`),
    "",
    "blackout COMMAND -h shows the options that matter most, blackout help COMMAND all of them.",
    "blackout help --man prints a manual page; blackout --version shows the version.",
    "",
    "To begin with:",
    "  blackout check --recover './app pool check' -- ./app pool",
    "  blackout doctor -- ./app pool",
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

function unknownCommand(name: string): number {
  const meant = nearestCommand(name);
  const hint = meant === undefined ? `\n\n${usage()}` : ` Did you mean ${meant}?`;
  stderrLine(`blackout: there is no command "${printable(name)}".${hint}`);
  return exitCode.badInput;
}

async function dispatch([name, ...rest]: readonly string[]): Promise<number> {
  if (name === "--version" || name === "-V" || name === "version") {
    stdoutLine(`blackout ${blackoutVersion}`);
    return exitCode.clean;
  }
  const helps = name === "--help" || name === "-h" || name === "help";
  if (name === undefined || (helps && rest[0] === undefined)) {
    stdoutLine(usage());
    return name === undefined ? exitCode.badInput : exitCode.clean;
  }
  if (helps && rest[0] === "--man") {
    stdoutLine(await (await import("./manual.ts")).manualPage());
    return exitCode.clean;
  }
  const wanted = helps ? rest[0]! : name;
  const command = Object.hasOwn(commands, wanted) ? commands[wanted] : undefined;
  if (command === undefined) return unknownCommand(wanted);
  return await (await command.load())(helps ? ["--help"] : rest);
}

function explain(thrown: unknown): number {
  const error = shortageOf(thrown) ?? thrown;
  if (error instanceof InputError) {
    stderrLine(`blackout: ${error.message}`);
    return exitCode.badInput;
  }
  if (error instanceof Stopped) {
    stderrLine(`blackout: stopped: ${error.message}`);
    return exitCode.noVerdict;
  }
  if (error instanceof Interrupted) return exitCode.interrupted;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.clean : exitCode.badInput;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const kind = error instanceof Bug ? "a broken invariant" : "an unexpected error";
  stderrLine(`blackout: ${kind} in Blackout itself. Please report it with the program.\n${text}`);
  return exitCode.bug;
}
