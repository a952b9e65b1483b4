/** A program run for its own sake: its streams are the host's, and how it ended is told. */
import { type HostPorts, Stopped } from "../../base/index.ts";
import type { Machine, Outcome } from "../../machine/index.ts";
import type { ProgramOptions } from "./options.ts";
import { loadProgram } from "./program.ts";
import { runMachine } from "./run-machine.ts";

/** Signals of this process that ask for an end. */
export interface Interrupts {
  /** Whether there was one; gives others their turn first. */
  heard(): Promise<boolean>;
  /** Runs what may wait for long and cannot be woken: signals do then what they do by default. */
  unheard<Result>(work: () => Result): Result;
}

/** How a program ended, as its caller would see it. */
export interface ProgramEnd {
  /** Its exit code, or 128 + n if signal n killed it; undefined when it was stopped. */
  readonly code: number | undefined;
  /** What the exit code alone would not say, line by line. */
  readonly says: readonly string[];
  /** The dynamic linker gave up: a library or a symbol is missing. */
  readonly inLoader: boolean;
  /** A signal asked for an end. */
  readonly interrupted: boolean;
  readonly statistics: ReturnType<typeof statisticsOf>;
}

/** What the dynamic linker exits with, after its own sentence. */
const loaderGaveUp = 127;

const endedInLoader = (machine: Machine, outcome: Outcome): boolean =>
  outcome.kind === "exit" && outcome.code === loaderGaveUp && /\(ld[-.][^)]*\)/.test(machine.site());

function statisticsOf(machine: Machine) {
  const { instructions, seconds, regions, peakBytes } = machine.statistics();
  return { instructions, seconds, regions, peakGuestBytes: peakBytes };
}

const ends: {
  readonly [K in Outcome["kind"]]: (
    outcome: Outcome & { readonly kind: K },
  ) => Omit<ProgramEnd, "inLoader" | "interrupted" | "statistics">;
} = {
  exit: ({ code }) => ({ code, says: [] }),
  signal: ({ signal, name, site, address }) => {
    const where = address === undefined ? "" : `, accessing 0x${address.toString(16)}`;
    return { code: 128 + signal, says: [`blackout: the program was killed by ${name} at ${site}${where}`] };
  },
  deadlock: ({ threads }) => ({
    code: undefined,
    says: [
      "blackout: every thread waits and none can be woken:",
      ...threads.map((thread) => `  ${JSON.stringify(thread)}`),
    ],
  }),
  limit: ({ message }) => ({ code: undefined, says: [`blackout: ${message}`] }),
};

/** Shared mappings of granted files reach the host at the end, also when the user does not wait for it. */
export async function runProgram(
  options: ProgramOptions,
  command: readonly string[],
  ports: HostPorts,
  interrupts: Interrupts,
): Promise<ProgramEnd> {
  const grants = (options.grants ?? []).length > 0;
  const streams = ports.console();
  const machine: Machine = loadProgram(options, command, ports, {
    // Nobody is told of stores to persistent memory, so they are as good as any.
    isPersistent: () => false,
    streams: grants ? { ...streams, readInput: (...asked) => waiting(() => streams.readInput(...asked)) } : streams,
  });
  /** While it waits for input no signal is heard: its end is the default one, and nothing may be left to do then. */
  function waiting<Result>(read: () => Result): Result {
    machine.writeBack();
    return interrupts.unheard(read);
  }
  const outcome = grants ? await runHearing(machine, interrupts) : runMachine(machine);
  if (grants) machine.writeBack();
  const statistics = statisticsOf(machine);
  if (outcome === undefined) return { code: undefined, says: [], inLoader: false, interrupted: true, statistics };
  const end = (ends[outcome.kind] as (outcome: Outcome) => Pick<ProgramEnd, "code" | "says">)(outcome);
  return { ...end, inLoader: endedInLoader(machine, outcome), interrupted: false, statistics };
}

/** Instructions between two looks at signals: a tenth of a second or less. */
const turnInstructions = 10_000_000;

/** Undefined when a signal asked for an end. */
async function runHearing(machine: Machine, interrupts: Interrupts): Promise<Outcome | undefined> {
  while (!(await interrupts.heard())) {
    try {
      const result = machine.run(turnInstructions);
      if (result.kind === "ended") return result.outcome;
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      return { kind: "limit", limit: error.limit, message: error.message };
    }
  }
  return undefined;
}
