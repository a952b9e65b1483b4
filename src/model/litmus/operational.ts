/** Everything one phase can leave behind according to the operational model. */
import { type CrashWindow, crashWindows } from "../pmem/index.ts";
import { explore } from "./explore.ts";
import type { Limits } from "./limits.ts";
import { type Machine, type MachineState, startMachine, visibleValue } from "./machine.ts";
import { finalKey, memoryPrinter, noOutcomes, type PhaseOutcomes } from "./outcomes.ts";

/** The contents of memory a crash in this state may leave, each once. */
export function crashStates(machine: Machine, state: MachineState): number[][] {
  let memories: number[][] = [machine.memory.slice()];
  for (const window of crashWindows(state.pm, machine.model)) {
    const cuts = cutContents(window);
    memories = memories.flatMap((memory) => cuts.map((cut) => cut.reduce(withStore, memory)));
  }
  return memories;
}

const withStore = (memory: number[], [location, value]: readonly [number, number]): number[] =>
  memory.with(location, value);

/** For each different content a window can leave: the last surviving store of each location. */
function cutContents({ stores, from, to }: CrashWindow): [number, number][][] {
  const contents = new Map<string, [number, number][]>();
  const last = new Map<number, number>();
  for (let cut = 0; cut <= to; cut++) {
    if (cut >= from) contents.set([...last].join(), [...last]);
    const next = stores[cut];
    if (next !== undefined) last.set(next.address, next.payload);
  }
  return [...contents.values()];
}

/** Windows with the same key leave the same contents. */
const windowKey = ({ stores, from, to }: CrashWindow): string =>
  `${from} ${to} ${stores.map(({ address, payload }) => `${address}=${payload}`).join(" ")}`;

export function operationalOutcomes(machine: Machine, limits: Limits, reduce = true): PhaseOutcomes {
  const outcomes = noOutcomes();
  const print = memoryPrinter(machine.locations);
  const onlyEnd = machine.model.without.has("PM-30");
  const looked = new Set<string>();
  explore({ machine, limits, reduce }, startMachine(machine), {
    crash: (state) => {
      const windows = crashWindows(state.pm, machine.model);
      const key = windows.map(windowKey).join("|");
      if (onlyEnd || looked.has(key)) return false;
      looked.add(key);
      for (const memory of crashStates(machine, state)) outcomes.any.set(print(memory), memory);
      return false;
    },
    end: (state) => {
      const memory = machine.locations.map((_, location) => visibleValue(machine, state, location));
      const final = { memory, registers: state.registers };
      const key = finalKey(final);
      outcomes.final.set(key, final);
      for (const recovered of crashStates(machine, state)) {
        outcomes.end.set(`${key}|${print(recovered)}`, { ...final, recovered });
        if (onlyEnd) outcomes.any.set(print(recovered), recovered);
      }
      return false;
    },
  });
  return outcomes;
}
