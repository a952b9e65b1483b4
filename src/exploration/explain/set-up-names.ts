/**
 * Names of what only the set-up stored: recovery reads it, and the traced run has no store of it to take a name from. The set-up
 * runs once more for that, with every event kept.
 */

import type { HistoryLine } from "../../crash/finding/index.ts";
import { crashSourceOf } from "../../crash/states/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { replay } from "../../trace/events/index.ts";
import { walkFor } from "./line-walk.ts";
import { StoreFacts } from "./store-facts.ts";
import { type SeenStores, StoresSeen } from "./stores-seen.ts";

/** What bytes of a line are called, and whether they are a number. */
export type NamesOf = (line: HistoryLine, offset: number, size: number) => Pick<SeenStores, "names" | "number">;

/** By the newest stores of the set-up to these lines; nothing is known of others. */
export function setUpNames({ subject }: LeadScene, lines: readonly HistoryLine[]): NamesOf {
  const run = lines.length === 0 ? undefined : subject.traceSetup();
  if (run === undefined) return () => ({ names: [] });
  const { trace, history } = run;
  const places = subject.places(trace.tables);
  replay(trace, places.modules);
  const seen = new StoresSeen(lines, trace.count, new Set(), new StoreFacts(places, trace));
  walkFor(crashSourceOf(trace, history), [seen]);
  return (line, offset, size) => seen.of(line, offset, size);
}
