/** Three kinds of wrong are kept apart: `Bug` is ours, `InputError` is the user's to fix, and what befalls the guest is a value. */

import { printable, printableLines } from "./printable.ts";

/** A broken invariant: our fault, never the user's and never the guest's. */
export class Bug extends Error {
  override readonly name = "Bug";
}

export function assert(condition: boolean, invariant: string): asserts condition {
  if (!condition) throw new Bug(invariant);
}

/** For a union's last case: compiles only when every case is handled. */
export function unreachable(value: never, invariant: string): never {
  throw new Bug(`${invariant}: ${String(value)}`);
}

/** A limit of the whole command was met while something ran: nobody's fault, and no verdict. */
export class Stopped extends Error {
  override readonly name = "Stopped";
  readonly limit: "time" | "host-memory";
  constructor(limit: Stopped["limit"], sentence: string) {
    super(sentence);
    this.limit = limit;
  }
}

/** The user pressed Ctrl-C, or another signal asked this process to end. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** The names that a sentence is about are not ours: a line end in one must not look like the end of the sentence. */
function withPrintableFacts(sentence: string, facts: Readonly<Record<string, unknown>>): string {
  let shown = sentence;
  for (const fact of Object.values(facts))
    if (typeof fact === "string" && printable(fact) !== fact) shown = shown.replaceAll(fact, printable(fact));
  return shown;
}

/** A sentence is read by somebody: of one with a file's contents in it, the beginning and the end tell enough. */
const longest = 2000;
const cutTo = { begin: 1500, end: 300 } as const;

const readableLength = (sentence: string): string =>
  sentence.length <= longest ? sentence : `${sentence.slice(0, cutTo.begin)} … ${sentence.slice(-cutTo.end)}`;

/** One clear sentence: what is wrong, where, and what to do about it. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly code: string;
  readonly facts: Readonly<Record<string, unknown>>;
  constructor(code: string, sentence: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(readableLength(printableLines(withPrintableFacts(sentence, facts))));
    this.code = code;
    this.facts = facts;
  }
}
