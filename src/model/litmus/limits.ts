/** Every search here is bounded; reaching a bound is reported, never taken for a verdict. */
export interface Limits {
  /** States of the operational machine and candidate executions of the axiomatic model, each per run. */
  readonly states: number;
  readonly candidates: number;
  /** Guesses of what one thread may read. */
  readonly traces: number;
  /** Instructions over all threads of one phase. */
  readonly instructions: number;
}

export const defaultLimits: Limits = { states: 200_000, candidates: 5_000_000, traces: 200_000, instructions: 60 };

/** A search was cut off: nothing can be said about the test. */
export class LimitReached extends Error {
  override readonly name = "LimitReached";
  readonly what: keyof Limits;
  constructor(what: keyof Limits, limit: number) {
    super(`the limit of ${limit} ${what} was reached without a verdict`);
    this.what = what;
  }
}
