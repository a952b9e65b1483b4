/** Traced runs of a program with patches, with where its code lay. Always: the same patches give the same run. */
import { assert, type HostPorts } from "../../base/index.ts";
import { patchKey } from "../../crash/insertions/index.ts";
import type { Patch } from "../../machine/index.ts";
import { type Places, Subject, type SubjectOptions, type TracedRun } from "../../session/subject/index.ts";

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

/** Repair asks for the same few runs again and again. More events than that are traced anew rather than kept. */
const keptEvents = 1_000_000;

const keyOf = (patches: readonly Patch[], annotated: boolean): string =>
  `${annotated} ${patches.map(patchKey).join(" ")}`;

export class PatchedRuns {
  readonly #subject: SubjectOptions;
  readonly #host: HostPorts;
  /** Those asked for last are last. */
  readonly #kept = new Map<string, PlacedRun>();

  constructor(subject: SubjectOptions, host: HostPorts) {
    this.#subject = subject;
    this.#host = host;
  }

  with(patches: readonly Patch[], annotated: boolean): PlacedRun {
    const known = this.#kept.get(keyOf(patches, annotated));
    const run = known ?? traceWithPlaces({ ...this.#subject, patches, annotated }, this.#host);
    this.keep(patches, annotated, run);
    return run;
  }

  /** A run that somebody else has traced. */
  keep(patches: readonly Patch[], annotated: boolean, run: PlacedRun): void {
    const key = keyOf(patches, annotated);
    this.#kept.delete(key);
    this.#kept.set(key, run);
    this.#forget();
  }

  #forget(): void {
    let events = 0;
    for (const [key, { run }] of [...this.#kept].reverse()) {
      events += run.trace.count;
      if (events > keptEvents) this.#kept.delete(key);
    }
  }
}
