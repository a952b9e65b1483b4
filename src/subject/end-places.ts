/**
 * Where failing recoveries end: each runs once more, traced, in one machine that is made when the first one asks. Recoveries
 * that end in the same way with the same words have ended at the same place.
 */
import { assert } from "../base/index.ts";
import type { Layout, RecoveryEnd } from "../crash/index.ts";
import type { PlacedMark } from "../finding/index.ts";
import { Recorder } from "../trace/index.ts";
import type { Places } from "./places.ts";
import type { Subject } from "./subject.ts";

export function tracedRecovery(subject: Subject) {
  let places: Places | undefined;
  const recorder = new Recorder([
    (tables) => {
      places = subject.places(tables);
      return places.modules;
    },
  ]);
  assert(places !== undefined, "a recorder makes all its sinks");
  return { recorder, places, ...subject.recovery({ trace: { recorder, annotations: false } }) };
}

export class EndPlaces {
  readonly #subject: Subject;
  readonly #maxInstructions: number;
  readonly #known = new Map<string, PlacedMark | undefined>();
  #made: ReturnType<typeof tracedRecovery> | undefined;

  constructor(subject: Subject, maxInstructions: number) {
    this.#subject = subject;
    this.#maxInstructions = maxInstructions;
  }

  of(layout: Layout, { verdict, stderr }: RecoveryEnd): PlacedMark | undefined {
    if (stderr === "") return this.#find(layout);
    const how = verdict.kind === "signal" ? verdict.site : verdict.kind === "exit" ? verdict.code : "";
    const key = `${verdict.kind} ${how} ${stderr}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#find(layout));
    return this.#known.get(key);
  }

  #find(layout: Layout): PlacedMark | undefined {
    this.#made ??= tracedRecovery(this.#subject);
    const { recorder, places, recovery, machine } = this.#made;
    const before = recorder.count;
    recovery.run(layout, this.#maxInstructions);
    const place = machine.tracePlace();
    recorder.flush();
    if (place === undefined) return undefined;
    const mark = { ...place, seq: recorder.count - before };
    return { mark, frames: places.resolver.frames(place.site, place.stack) };
  }
}
