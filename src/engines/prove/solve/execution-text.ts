/** An execution that the solver found, in words: its events in one order that the model allows, and what recovery found. */
import { eventLabel } from "../../../model/litmus/index.ts";
import { hasPair, isInitial, type PmModel, visibleOrder } from "../../../model/pmem/index.ts";
import type { FoundExecution } from "./judged.ts";

export function executionLines(
  { graph, recovered }: FoundExecution,
  nameOf: (address: number) => string,
  model: PmModel,
): string[] {
  const order = visibleOrder(graph, model);
  const left = new Set(graph.events.filter((event) => !isInitial(event)));
  const lines: string[] = [];
  while (left.size > 0 && order !== undefined) {
    const free = [...left].find((event) => ![...left].some((other) => hasPair(order, other.id, event.id)));
    if (free === undefined) break;
    left.delete(free);
    const found = free.valueRead === undefined ? "" : ` (finds ${free.valueRead})`;
    lines.push(`${eventLabel(free)}${found}`);
  }
  for (const [address, store] of recovered) {
    const event = graph.events[store]!;
    lines.push(`recovered ${nameOf(address)}=${event.valueWritten}, from ${eventLabel(event)}`);
  }
  return lines;
}
