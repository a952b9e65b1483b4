/** The traced run of a check, and what the rules say of it. */
import { RulesEngine } from "../engines/index.ts";
import { type Finding, resolveDrafts } from "../finding/index.ts";
import type { SinkFactory } from "../trace/index.ts";
import type { CheckOptions } from "./check-options.ts";
import type { CheckSession, TracedRun } from "./check-session.ts";
import { type Places, placesOf } from "./places.ts";

interface Traced {
  readonly run: TracedRun;
  readonly places: Places;
  /** What the rules over the trace say. */
  findings(): readonly Finding[];
}

/** A trace's places, and the rules over it if they are wanted. */
class RuledTrace {
  readonly sinks: readonly SinkFactory[];
  #places: Places | undefined;
  #rules: RulesEngine | undefined;

  constructor({ root, rules }: CheckOptions) {
    const places: SinkFactory = (tables) => {
      this.#places = placesOf(tables, root);
      return this.#places.modules;
    };
    const judge: SinkFactory = (tables) => {
      this.#rules = new RulesEngine(tables);
      return this.#rules;
    };
    this.sinks = rules ? [places, judge] : [places];
  }
  get places(): Places {
    return this.#places!;
  }
  findings(): readonly Finding[] {
    return resolveDrafts(this.#rules?.drafts() ?? [], this.places.resolver.frames);
  }
}

/**
 * The run is the program's as in production. Where libpmemobj and its like would tell Valgrind what they do, the rules
 * judge another one in which they do: else locks and transactions look like mistakes.
 */
export function traceRun(session: CheckSession, options: CheckOptions): Traced {
  const checked = new RuledTrace(options);
  const run = session.trace(checked.sinks);
  const { places } = checked;
  if (!options.rules || !run.madeRequests || options.annotations !== "rules")
    return { run, places, findings: () => checked.findings() };
  const annotated = new RuledTrace(options);
  session.traceAnnotated(annotated.sinks);
  return { run, places, findings: () => annotated.findings() };
}
