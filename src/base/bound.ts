/**
 * How much work may be done where seconds must not decide: what is counted, instructions of the guest above all, is the same on every
 * computer. Always: it is asked between whole runs of a machine, so that where it ends is the same each time, too.
 */

/** The work that was allowed is done: no verdict, and nobody's fault. */
export class BoundReached extends Error {
  override readonly name = "BoundReached";
}

export class WorkBound {
  #left: number;

  constructor(instructions: number) {
    this.#left = instructions;
  }

  /** So much was done, in instructions or what takes as long. */
  readonly spend = (instructions: number): void => {
    this.#left -= instructions;
    if (this.#left < 0) throw new BoundReached("The work that was allowed is done.");
  };
}
