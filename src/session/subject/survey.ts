/** What a program shows of itself when it runs once: its persistent files, its stores there, and whether they have source lines. */
import { assert, type HostPorts } from "../../base/index.ts";
import { outsideTheSystem, ownPosition } from "../../crash/finding/index.ts";
import { decodeEvent, type SinkFactory, type TraceTables } from "../../trace/events/index.ts";
import { recordWords } from "../../trace/record/index.ts";
import type { SubjectOptions } from "./options.ts";
import type { Places } from "./places.ts";
import { Subject } from "./subject.ts";
import { describeOutcome } from "./trace-sources.ts";

export interface Survey {
  /** "exited with 0". */
  readonly ended: string;
  readonly endedWell: boolean;
  /** Files that were mapped shared and count as persistent memory, with the bytes that were mapped at most. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly stores: number;
  readonly flushes: number;
  readonly fences: number;
  /** Places in the program's own code that store to persistent memory, and how many of them have a source line. */
  readonly places: number;
  readonly placesWithSource: number;
}

const flushKinds: ReadonlySet<string> = new Set(["clflush", "clflushopt", "clwb", "msync"]);
const fenceKinds: ReadonlySet<string> = new Set(["sfence", "mfence", "locked"]);

/** Counts events as they happen. */
function counting(tables: TraceTables) {
  const files = new Map<string, number>();
  const sites = new Map<string, readonly [site: number, stack: number]>();
  const counts = { stores: 0, flushes: 0, fences: 0 };
  const note = (words: Uint32Array, index: number) => {
    const event = decodeEvent(words, index, 0, tables.texts);
    if (event.kind === "map" && event.persistent)
      files.set(event.path, Math.max(files.get(event.path) ?? 0, event.length));
    else if (event.kind === "store" || event.kind === "non-temporal") {
      counts.stores++;
      sites.set(`${event.site} ${event.stack}`, [event.site, event.stack]);
    } else if (flushKinds.has(event.kind)) counts.flushes++;
    else if (fenceKinds.has(event.kind)) counts.fences++;
  };
  const events = (words: Uint32Array) => {
    for (let index = 0; index < words.length / recordWords; index++) note(words, index);
  };
  return { files, sites, counts, events };
}

export function surveyProgram(options: SubjectOptions, ports: HostPorts): Survey {
  const subject = new Subject(options, ports);
  let places: Places | undefined;
  let seen: ReturnType<typeof counting> | undefined;
  const find: SinkFactory = (tables) => {
    places = subject.places(tables);
    return places.modules;
  };
  const count: SinkFactory = (tables) => {
    seen = counting(tables);
    return { events: seen.events, end: () => undefined };
  };
  const outcome = subject.watch([find, count], false);
  assert(places !== undefined && seen !== undefined, "a recorder makes all its sinks");
  const { resolver } = places;
  const own = new Map<number, boolean>();
  for (const [site, stack] of seen.sites.values()) {
    const frames = resolver.frames(site, stack);
    const frame = frames[ownPosition(frames, outsideTheSystem) ?? -1];
    if (frame !== undefined) own.set(frame.address, frame.line !== undefined);
  }
  return {
    ended: describeOutcome(outcome),
    endedWell: outcome?.kind === "exit" && outcome.code === 0,
    files: [...seen.files].map(([path, bytes]) => ({ path, bytes })),
    ...seen.counts,
    places: own.size,
    placesWithSource: [...own.values()].filter(Boolean).length,
  };
}
