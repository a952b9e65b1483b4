/** Three kinds of wrong are kept apart: `Bug` is ours, `InputError` is the user's to fix, and what befalls the guest is a value. */

import { printable } from "./printable.ts";

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

/** The names that a sentence is about are not ours: a line end in one must not look like the end of the sentence. */
function withPrintableFacts(sentence: string, facts: Readonly<Record<string, unknown>>): string {
  let shown = sentence;
  for (const fact of Object.values(facts))
    if (typeof fact === "string" && printable(fact) !== fact) shown = shown.replaceAll(fact, printable(fact));
  return shown;
}

/** One clear sentence: what is wrong, where, and what to do about it. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly code: string;
  readonly facts: Readonly<Record<string, unknown>>;
  constructor(code: string, sentence: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(withPrintableFacts(sentence, facts));
    this.code = code;
    this.facts = facts;
  }
}
