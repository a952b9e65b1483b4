/** Commands that end within a second or two on a computer with nothing else to do, and the exit codes that they end with. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkGuest } from "../../../test/check/guests.ts";

export interface Usual {
  /** Before the options of the user. */
  readonly words: readonly string[];
  /** After them. */
  readonly program: readonly string[];
  readonly code: number;
}

const wrong = checkGuest("creating", "ORDER");
const right = checkGuest("creating", undefined);

const recovering = (command: string, program: string, code: number, ...more: readonly string[]): Usual => ({
  words: [command, ...more, "--recover", `${program} a.pool check`],
  program: ["--", program, "a.pool"],
  code,
});

/** Each runs a program that a power cut leaves something wrong of, or nothing. */
export const programCommands: readonly Usual[] = [
  { words: ["run"], program: ["--", right, "a.pool"], code: 0 },
  { words: ["trace"], program: ["--", wrong, "a.pool"], code: 0 },
  { words: ["symbolic", "--sym-arg", "2:1"], program: ["--", right, "a.pool", "x"], code: 0 },
  recovering("check", wrong, 1, "--no-fix"),
  recovering("check", right, 0, "--no-fix", "-j", "1"),
  recovering("explore", wrong, 1, "-j", "1"),
  recovering("represent", wrong, 1, "-j", "1"),
  recovering("robust", right, 0, "-j", "1"),
  recovering("fix", wrong, 1, "-j", "1"),
];

export const wrongCheck = programCommands[3]!;

const litmusFile = resolve(import.meta.dirname, "../../../test/litmus/flushes.json");

/** What else reads files: a folder that `bundleOf` made is at `bundle`. */
export const readingCommands = (bundle: string): readonly Usual[] => [
  { words: ["replay", "--only", "1"], program: [bundle], code: 1 },
  { words: ["page"], program: [join(bundle, "report.json")], code: 0 },
  { words: ["litmus"], program: [litmusFile], code: 0 },
  { words: ["prove"], program: [litmusFile], code: 0 },
];

export const reportIn = (bundle: string): string => readFileSync(join(bundle, "report.json"), "utf8");
