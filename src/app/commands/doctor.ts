/** `blackout doctor`: what is here, what a program shows of itself, what is missing and how to get it. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Command } from "commander";
import { blackoutVersion, printable, printableJson } from "../../base/index.ts";
import { stdoutLine } from "../../host/index.ts";
import { type Survey, surveyProgram } from "../../session/subject/index.ts";
import { exitCode } from "./exit-codes.ts";
import { withExamples } from "./options.ts";
import { alarmedPorts, programCommand, type SubjectFlags, subjectOptions } from "./program-options.ts";

interface Finding {
  readonly about: string;
  readonly state: "good" | "lacking" | "bad";
  readonly says: string;
  /** How to mend it. */
  readonly advice?: string;
}

const oldestNode = 20;

function nodeFinding(): Finding {
  const found = process.versions.node;
  if (Number.parseInt(found, 10) >= oldestNode) return { about: "Node", state: "good", says: found };
  return { about: "Node", state: "bad", says: `${found} is too old`, advice: `install Node ${oldestNode} or newer` };
}

function machineFinding(): Finding {
  const says = `${process.platform} on ${process.arch}`;
  if (process.platform === "linux") return { about: "system", state: "good", says };
  return {
    about: "system",
    state: "lacking",
    says,
    advice: "Linux is what is tested; programs must be x86-64 ELF files",
  };
}

/** The first of these programs along PATH. */
function along(names: readonly string[]): string | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter))
    for (const name of names) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not there.
      }
    }
  return undefined;
}

function compilerFinding(): Finding {
  const found = along(["cc", "gcc", "clang"]);
  if (found !== undefined) return { about: "compiler", state: "good", says: found };
  return {
    about: "compiler",
    state: "lacking",
    says: "no cc, gcc or clang along PATH",
    advice: "install gcc if you build the program here; checking it needs none",
  };
}

function memoryFinding({ files }: Survey): Finding {
  const about = "persistent memory";
  if (files.length > 0)
    return { about, state: "good", says: files.map(({ path, bytes }) => `${path} (${bytes} bytes)`).join(", ") };
  return {
    about,
    state: "bad",
    says: "the program mapped no file shared",
    advice: "give it the arguments that make it work on its pool; see --pm",
  };
}

function storesFinding({ stores, flushes, fences }: Survey): Finding {
  const says = `${stores} stores, ${flushes} flushes, ${fences} fences`;
  if (stores > 0) return { about: "work", state: "good", says };
  return {
    about: "work",
    state: "lacking",
    says,
    advice: "let it change something: a run that stores nothing shows nothing",
  };
}

function debugFinding({ places, placesWithSource }: Survey): Finding {
  const says = `${placesWithSource} of ${places} places that store have a source line`;
  if (placesWithSource === places) return { about: "debug information", state: "good", says };
  return {
    about: "debug information",
    state: "lacking",
    says,
    advice: "compile with -g; -O1 or -Og keeps lines apart",
  };
}

const endFinding = ({ ended, endedWell }: Survey): Finding =>
  endedWell
    ? { about: "program", state: "good", says: ended }
    : {
        about: "program",
        state: "bad",
        says: ended,
        advice: "see blackout run; a check looks at a run that ends well",
      };

export const doctorCommandLine = (): Command => {
  const command = programCommand("blackout doctor")
    .description("Tells what is missing here, and, of a program, its persistent files and debug information.")
    .optionsGroup("What is reported:")
    .option("--setup <command>", "run this first; its files are there when the program starts")
    .option("--json", "as one JSON document");
  for (const argument of command.registeredArguments) argument.required = false;
  return withExamples(
    command,
    ["blackout doctor", "looks at this machine alone"],
    ["blackout doctor -- ./app pool", "runs the program once, and lists the files that would be persistent memory"],
  );
};

const signs = { good: "ok  ", lacking: "warn", bad: "FAIL" } as const;

export async function doctorCommand(args: readonly string[]): Promise<number> {
  const command = doctorCommandLine();
  command.parse([...args], { from: "user" });
  const flags = command.opts<Omit<SubjectFlags, "pm"> & { readonly json?: boolean }>();
  const survey =
    command.args.length === 0
      ? undefined
      : surveyProgram(subjectOptions({ ...flags, pm: [] }, command.args, false), alarmedPorts(flags));
  const findings = [
    nodeFinding(),
    machineFinding(),
    compilerFinding(),
    ...(survey === undefined
      ? []
      : [endFinding, memoryFinding, storesFinding, debugFinding].map((tell) => tell(survey))),
  ];
  if (flags.json)
    stdoutLine(printableJson(JSON.stringify({ version: blackoutVersion, findings, program: survey }, undefined, 2)));
  else {
    stdoutLine(`blackout ${blackoutVersion}`);
    for (const { about, state, says, advice } of findings) {
      stdoutLine(`  ${signs[state]} ${about}: ${printable(says)}`);
      if (advice !== undefined) stdoutLine(`       ${advice}`);
    }
  }
  return findings.some(({ state }) => state === "bad") ? exitCode.findings : exitCode.clean;
}
