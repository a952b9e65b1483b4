/** Why something is forbidden, in words: the cycle of an execution, edge by edge. */
import { type Event, isInitial, isInternal } from "../pmem/index.ts";
import type { Execution } from "./execution.ts";
import type { Check, LitmusTest } from "./program.ts";

export const eventLabel = (event: Event): string => (isInitial(event) ? event.text : `T${event.thread}: ${event.text}`);

/** The locations on the line of a recovery node, or all of memory. */
export function recoveryLabel(test: LitmusTest, { cuts }: Execution, index: number): string {
  const line = cuts[index]?.line;
  if (line === "all" || line === undefined) return "recovery of memory";
  const names = test.locations.filter((location) => location.line === line).map(({ name }) => name);
  return names.length > 1 ? `recovery of the line {${names.join(" ")}}` : `recovery of ${names[0]}`;
}

export type EdgeName = "ppo" | "rf" | "co" | "fr" | "fb";

/** Which relation puts one node before the next; recovery nodes are numbered on from the events. */
export function edgeName({ graph }: Execution, from: number, to: number): EdgeName {
  const { events, readsFrom } = graph;
  const earlier = events[from];
  const later = events[to];
  if (earlier === undefined) return "fr";
  if (later === undefined) return earlier.kind === "FL" || earlier.kind === "FO" ? "fb" : "rf";
  if (isInternal(earlier, later)) return "ppo";
  if (readsFrom[to] === from) return "rf";
  const order = graph.coherence.get(earlier.address ?? -1) ?? [];
  return order.includes(from) && order.indexOf(from) < order.indexOf(to) ? "co" : "fr";
}

const sentences: Readonly<Record<EdgeName, (from: string, to: string) => string>> = {
  ppo: (from, to) => `${from} stays before ${to} (program order)`,
  rf: (from, to) => `${to} reads what ${from} stored`,
  co: (from, to) => `${from} is overwritten by ${to}`,
  fr: (from, to) => `${from} comes before ${to}, whose store it does not see`,
  fb: (from, to) => `${from} had completed, as what was recovered shows, so it comes before the ${to}`,
};

/** At the end of a run every flush has completed; otherwise only those that something recovered depends on. */
export function explainCycle(test: LitmusTest, execution: Execution, at: Check["at"]): string[] {
  const { cycle, graph } = execution;
  if (cycle === undefined)
    return execution.incoherent
      ? ["A thread would have to read or overwrite against its own program order (PM-3)."]
      : [];
  const label = (node: number) => {
    const event = graph.events[node];
    return event === undefined ? recoveryLabel(test, execution, node - graph.events.length) : eventLabel(event);
  };
  return cycle.map((node, index) => {
    const next = cycle[(index + 1) % cycle.length] as number;
    const name = edgeName(execution, node, next);
    const sentence =
      graph.events[node] === undefined
        ? lostSentence(label(node), label(next))
        : sentences[name](label(node), label(next));
    const shown = at === "end" ? sentence.replace("as what was recovered shows", "the run having ended") : sentence;
    return `${name.padEnd(3)} ${shown}`;
  });
}

const lostSentence = (recovery: string, store: string) =>
  `the ${recovery} does not find ${store}: it was lost, so it came later`;
