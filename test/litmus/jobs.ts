/** Litmus tests cut into jobs for binaries: each phase, from states that the phase before can leave. */
import { defaultLimits, LimitReached, type LitmusTest, machineFor, runPhases } from "../../src/model/litmus/index.ts";
import { px86 } from "../../src/model/pmem/index.ts";
import type { Job } from "./binaries.ts";

/** None where there is too much to look at. */
function phasesOf(litmus: LitmusTest): ReturnType<typeof runPhases> {
  try {
    return runPhases(litmus, "operational", { model: px86, limits: defaultLimits });
  } catch (error) {
    if (error instanceof LimitReached) return [];
    throw error;
  }
}

/** Every phase of a test, from the first states that the phase before can leave. */
export function jobsOf(litmus: LitmusTest): readonly Job[] {
  const started = phasesOf(litmus);
  return litmus.phases.flatMap((phase, index) =>
    (started[index] ?? []).slice(0, 2).map(({ start }) => ({
      name: `${litmus.name}, phase ${index} from ${start.join(" ")}`,
      machine: machineFor(litmus, phase, start, px86),
    })),
  );
}
