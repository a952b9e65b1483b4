/**
 * Witnesses: all it takes to see a finding again, as JSON. Always: a witness holds what its run depended on as fields of its
 * own, not as the words of a command line.
 */
import { type HostUser, InputError, printable } from "../../base/index.ts";
import { type Choice, choiceText } from "./choice.ts";
import type { Verdict } from "./recovery-machine.ts";
import type { PoolObject } from "./unreached.ts";
import { witnessesOf } from "./witness-shape.ts";

/** The program, its set-up and its recovery, and what they run in. */
export interface WitnessSubject {
  readonly program: readonly string[];
  /** Runs first, untraced: its files are there when the program starts. */
  readonly setup?: readonly string[];
  /** The program itself, run again, if there is none. */
  readonly recover?: readonly string[];
  /** Run after it, each on what the one before left. */
  readonly furtherRecoveries?: readonly (readonly string[])[];
  /** Work that goes on after recovery; {n} stands for the number of the operation after the one under way. */
  readonly thenCommand?: readonly string[];
  /** Absolute, on the host; where the program starts unless it has a root of its own. */
  readonly directory: string;
  /** Another file tree as the program's `/`. */
  readonly root?: string;
  /** Directories that the program may read beside its own file and the system's libraries; all files if none is given. */
  readonly readable?: readonly string[];
  /** NAME=VALUE, beside what every guest starts with. */
  readonly env: readonly string[];
  readonly seed: number;
  /** The processor. */
  readonly cpu: "v2" | "v3";
  readonly limits: Readonly<Record<string, number>>;
  readonly jit: boolean;
  /** Globs of files that are persistent memory when they are mapped shared; all of them if none is given. */
  readonly pm: readonly string[];
  readonly pmMode: "dax" | "msync";
  /** Where the heap lies in persistent memory: its file as the program names it, how large it may become, and the byte that new memory holds. */
  readonly pmHeap?: { readonly file: string; readonly bytes: number; readonly fill?: number };
  /** Whether Valgrind's client requests are answered in the run that is checked. */
  readonly annotated: boolean;
  /** Whether objects of libpmemobj's pools are looked for that recovery leaves unreached. */
  readonly findsLeaks?: true;
}

/** How recoveries are judged. */
export interface Judging {
  readonly expectExit: number;
  /** exit: recovery must exit well; output: and print what it prints after a clean stop. */
  readonly oracle: "exit" | "output";
  /** Instructions that a recovery may run. */
  readonly hangLimit: number;
  /** Where the program is to run: what survives a power cut there. */
  readonly platform: "px86" | "eadr" | "strict";
}

/** How recovery ended, and what it said last. */
export interface Expected {
  readonly verdict: Verdict;
  readonly said: string;
  readonly printed?: PrintedWrong;
  /** Objects that are leaked, where that is what is wrong. */
  readonly leaked?: readonly PoolObject[];
}

/** Where what was printed is what is wrong. */
export interface PrintedWrong {
  readonly stdout: string;
  /** work: that of the work that goes on after recovery; else all that was printed. */
  readonly of?: "work";
  /** What would have been right, one or the other. */
  readonly right: readonly string[];
  /** Or so many lines. */
  readonly fewest?: number;
}

export interface Witness {
  /** The version that wrote it. */
  readonly blackout: string;
  readonly subject: WitnessSubject;
  /** What program and recovery read from standard input, in base64. */
  readonly input: string;
  /** Who recorded it, as the host has users: what was theirs the program might change. */
  readonly user?: HostUser;
  /** SHA-256 of the files that were read, programs and libraries among them, by path on the host. */
  readonly files: Readonly<Record<string, string>>;
  readonly judging: Judging;
  readonly choices: readonly Choice[];
  readonly expected: Expected;
  /** Of its finding. */
  readonly fingerprint: string;
}

export const witnessVersion = 3;

/** Numbers beyond JSON's are objects with their digits; choices are one line. */
const toPlain = (key: string, value: unknown): unknown =>
  typeof value === "bigint"
    ? { $bigint: value.toString() }
    : key === "choices" && Array.isArray(value)
      ? choiceText(value as readonly Choice[])
      : value;

const fromPlain = (_key: string, value: unknown): unknown => {
  const digits = typeof value === "object" && value !== null && "$bigint" in value ? String(value.$bigint) : undefined;
  return digits !== undefined && /^-?\d{1,20}$/.test(digits) ? BigInt(digits) : value;
};

export const witnessText = (witnesses: readonly Witness[]): string =>
  `${JSON.stringify({ blackoutWitness: witnessVersion, witnesses }, toPlain, 2)}\n`;

export function readWitnesses(file: string, text: string): readonly Witness[] {
  const parsed = attemptJson(text);
  if (typeof parsed !== "object" || parsed === null || !("blackoutWitness" in parsed))
    throw new InputError("replay/no-witness", `${file} is not a witness file that blackout check wrote.`, { file });
  if (parsed.blackoutWitness !== witnessVersion || !("witnesses" in parsed))
    throw new InputError(
      "replay/version",
      `${file} is a witness of another version of Blackout: run the check again to get one of this version.`,
      { file },
    );
  const witnesses = witnessesOf(parsed);
  if (typeof witnesses === "string")
    throw new InputError("replay/damaged", `${file} is damaged: ${printable(witnesses)}. Run the check again.`, {
      file,
    });
  if (witnesses.length === 0)
    throw new InputError("replay/none", `${file} has no witness: what wrote it found no crash to see again.`, { file });
  return witnesses;
}

function attemptJson(text: string): unknown {
  try {
    return JSON.parse(text, fromPlain);
  } catch (error) {
    if (error instanceof InputError) throw error;
    return undefined;
  }
}
