/**
 * Real programs, one row each: what to run natively and in the machine, and what to compare. Always:
 * - Steps run one after another in one directory that starts with `files` and nothing else; names are relative, so that
 *   both sides print the same.
 * - Standard output, exit code and every file left behind are compared byte by byte, unless the row says what may differ.
 */
import { codecRows } from "./rows/codecs.ts";
import { databaseRows } from "./rows/databases.ts";
import { languageRows } from "./rows/languages.ts";
import { ownRows } from "./rows/own.ts";
import { persistentRows } from "./rows/persistent.ts";
import { textRows } from "./rows/text.ts";

export interface Step {
  readonly command: readonly string[];
  /** Standard input: this text, or the standard output of the step before. */
  readonly input?: string | "previous";
}

export interface Row {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** A source file below guests/programs; `{program}` in a command is the compiled program. */
  readonly source?: string;
  readonly flags?: readonly string[];
  /** Where this package is missing the row is left out, with this as the reason. */
  readonly needs?: string;
  /** "overlay": nothing is granted, so that the host's directory must stay as it was. */
  readonly writes?: "granted" | "overlay";
  /** How files are compared; "sizes" where they hold times or random numbers. */
  readonly compareFiles?: "bytes" | "sizes";
  /** Lines of the output that may differ: identifiers and times. */
  readonly ignore?: RegExp;
  /** Runs in the tests as well. */
  readonly quick?: true;
}

export const rows: readonly Row[] = [
  ...textRows,
  ...codecRows,
  ...languageRows,
  ...persistentRows,
  ...databaseRows,
  ...ownRows,
];
