/** Reading from files that may be damaged: damage costs detail, never an exception. */
import { InputError } from "../../base/index.ts";

export class Salvage {
  /** The first damage met: what was given up. */
  problem: InputError | undefined;

  attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.problem ??= error;
      return undefined;
    }
  }
}
