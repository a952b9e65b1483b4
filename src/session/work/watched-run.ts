/** A run's places, and the trace engines that watch it. */
import { assert, InputError } from "../../base/index.ts";
import { type Finding, resolveDrafts } from "../../crash/finding/index.ts";
import { hasStores, type SinkFactory, type TraceTables } from "../../trace/events/index.ts";
import { recordWords } from "../../trace/record/index.ts";
import type { Places, Played, TraceSource } from "../subject/index.ts";
import type { TraceEngine, TraceWatch } from "./engine.ts";

export class WatchedRun {
  /** In the order in which they see events: places first, since the others ask about them. */
  readonly sinks: readonly SinkFactory[];
  readonly #watches: readonly TraceWatch[];
  #places: Places | undefined;

  constructor(placesOf: (tables: TraceTables) => Places, engines: readonly TraceEngine[]) {
    const find: SinkFactory = (tables) => {
      this.#places = placesOf(tables);
      return this.#places.modules;
    };
    this.#watches = engines.map((engine) => engine.begin(() => this.places));
    this.sinks = [find, ...this.#watches.flatMap(({ sinks }) => sinks)];
  }

  get places(): Places {
    assert(this.#places !== undefined, "places are asked for once the run has begun");
    return this.#places;
  }

  findings(): readonly Finding[] {
    const drafts = this.#watches.flatMap((watch) => watch.drafts());
    return resolveDrafts(drafts, this.places.resolver.frames);
  }

  get complaint(): InputError | undefined {
    return this.#watches.map((watch) => watch.complaint).find((each) => each !== undefined);
  }
}

export interface WatchedTrace {
  readonly played: Played;
  readonly findings: readonly Finding[];
  /** Whether anything was stored to persistent memory. */
  readonly hasStored: boolean;
  /** Told when everything else is: the trace is damaged somewhere, or a rule of the user's own failed. */
  readonly complaint: InputError | undefined;
}

/** Trace engines alone on one trace; `more` sinks see it too. A trace that is damaged somewhere is judged up to there. */
export function watchTrace(
  source: TraceSource,
  engines: readonly TraceEngine[],
  more: (places: () => Places) => readonly SinkFactory[],
): WatchedTrace {
  const watched = new WatchedRun((tables) => source.places(tables), engines);
  let seen = 0;
  let hasStored = false;
  const count: SinkFactory = () => ({
    events: (words) => {
      seen += words.length / recordWords;
      hasStored ||= hasStores(words);
    },
    end: () => undefined,
  });
  const sinks = [count, ...watched.sinks, ...more(() => watched.places)];
  const { played, complaint } = attempt(
    () => source.play(sinks),
    () => seen,
  );
  return { played, hasStored, findings: watched.findings(), complaint: complaint ?? watched.complaint };
}

function attempt(play: () => Played, seen: () => number): Pick<WatchedTrace, "played" | "complaint"> {
  try {
    return { played: play(), complaint: undefined };
  } catch (error) {
    if (!(error instanceof InputError) || seen() === 0) throw error;
    const { code, message, facts } = error;
    const complaint = new InputError(code, `${message} What was found in the ${seen()} events before is above.`, facts);
    return { played: { events: seen() }, complaint };
  }
}
