/** A run that goes on to its end, or until the command's time or memory is used up. */
import { Stopped } from "../../base/index.ts";
import type { Machine, Outcome } from "../../machine/index.ts";

/** What stops it counts as a limit of its own: what it did until then is there to be looked at. */
export function runMachine(machine: Machine): Outcome | undefined {
  try {
    const result = machine.run();
    return result.kind === "ended" ? result.outcome : undefined;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return { kind: "limit", limit: error.limit, message: error.message };
  }
}
