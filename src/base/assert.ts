/** Three kinds of wrong are kept apart: `Bug` is ours, `InputError` is the user's to fix, and what befalls the guest is a value. */

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

/** One clear sentence: what is wrong, where, and what to do about it. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly code: string;
  readonly facts: Readonly<Record<string, unknown>>;
  constructor(code: string, sentence: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(sentence);
    this.code = code;
    this.facts = facts;
  }
}
