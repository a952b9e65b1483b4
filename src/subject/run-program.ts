/** A program run for its own sake: its streams are the host's, and how it ended is told. */
import type { HostPorts } from "../base/index.ts";
import type { Machine, Outcome } from "../vm/index.ts";
import type { ProgramOptions } from "./options.ts";
import { loadProgram } from "./program.ts";

/** How a program ended, as its caller would see it. */
export interface ProgramEnd {
  /** Its exit code, or 128 + n if signal n killed it; undefined when it was stopped. */
  readonly code: number | undefined;
  /** What the exit code alone would not say, line by line. */
  readonly says: readonly string[];
  /** The dynamic linker gave up: a library or a symbol is missing. */
  readonly inLoader: boolean;
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
  ) => Omit<ProgramEnd, "inLoader" | "statistics">;
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

export function runProgram(options: ProgramOptions, command: readonly string[], ports: HostPorts): ProgramEnd {
  const machine = loadProgram(options, command, ports);
  const result = machine.run();
  if ((options.grants ?? []).length > 0) machine.writeBack();
  const statistics = statisticsOf(machine);
  if (result.kind !== "ended") return { code: undefined, says: [], inLoader: false, statistics };
  const { outcome } = result;
  const end = (ends[outcome.kind] as (outcome: Outcome) => Pick<ProgramEnd, "code" | "says">)(outcome);
  return { ...end, inLoader: endedInLoader(machine, outcome), statistics };
}
