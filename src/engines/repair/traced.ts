/** A traced run, with where its code lay. */
import { assert, type HostPorts } from "../../base/index.ts";
import { type Places, Subject, type SubjectOptions, type TracedRun } from "../../subject/index.ts";

export interface PlacedRun {
  readonly run: TracedRun;
  readonly places: Places;
}

export function traceWithPlaces(options: SubjectOptions, host: HostPorts): PlacedRun {
  const subject = new Subject(options, host);
  let places: Places | undefined;
  const run = subject.trace([
    (tables) => {
      places = subject.places(tables);
      return places.modules;
    },
  ]);
  assert(places !== undefined, "a recorder makes all its sinks");
  return { run, places };
}
