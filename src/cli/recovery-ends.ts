/**
 * Where failing recoveries end: each runs once more, traced, in one machine that is made when the first one asks. Recoveries
 * that end in the same way with the same words have ended at the same place.
 */
import type { Ended, Layout } from "../crash/index.ts";
import type { ShownEvidence } from "../finding/index.ts";
import { Recorder } from "../trace/index.ts";
import type { CheckSession } from "./check-session.ts";
import { type Places, placesOf } from "./places.ts";

function tracedRecovery(session: CheckSession) {
  let places: Places | undefined;
  const recorder = new Recorder([
    (tables) => {
      places = placesOf(tables);
      return places.modules;
    },
  ]);
  return { recorder, places: places!, ...session.recovery({ trace: { recorder, annotations: false } }) };
}

export class RecoveryEnds {
  readonly #session: CheckSession;
  readonly #maxInstructions: number;
  readonly #known = new Map<string, ShownEvidence | undefined>();
  #made: ReturnType<typeof tracedRecovery> | undefined;

  constructor(session: CheckSession, maxInstructions: number) {
    this.#session = session;
    this.#maxInstructions = maxInstructions;
  }

  of(layout: Layout, { verdict, stderr }: Ended): ShownEvidence | undefined {
    if (stderr === "") return this.#find(layout);
    const how = verdict.kind === "signal" ? verdict.site : verdict.kind === "exit" ? verdict.code : "";
    const key = `${verdict.kind} ${how} ${stderr}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#find(layout));
    return this.#known.get(key);
  }

  #find(layout: Layout): ShownEvidence | undefined {
    this.#made ??= tracedRecovery(this.#session);
    const { recorder, places, recovery, machine } = this.#made;
    const before = recorder.count;
    recovery.run(layout, this.#maxInstructions);
    const place = machine.tracePlace();
    recorder.flush();
    if (place === undefined) return undefined;
    const mark = { ...place, seq: recorder.count - before };
    return { says: "recovery ended here", mark, frames: places.resolver.frames(place.site, place.stack) };
  }
}
