/**
 * Recoveries run once more with every event kept: what a power cut inside one of them can leave is in their traces. Always:
 * a trace depends on the crash state it began with and on nothing that ran before it.
 */
import { assert } from "../../base/index.ts";
import {
  type CrashSource,
  crashSourceOf,
  FileHistory,
  type Judging,
  type Layout,
  type RecoveryEnd,
} from "../../crash/states/index.ts";
import type { TracedLoad } from "../../machine/index.ts";
import { EventStore, Recorder, type Trace, type TraceTables } from "../../trace/events/index.ts";
import type { Places } from "./places.ts";
import type { Subject } from "./subject.ts";

export interface TracedRecovery {
  readonly trace: Trace;
  readonly history: FileHistory;
  readonly ended: RecoveryEnd;
  /** What its own numbers of versions count from, so that they differ from all others'. */
  readonly firstVersion: number;
  /** Its loads of persistent memory in their order, where they were asked for. */
  readonly loads: readonly TracedLoad[];
}

type Platform = Judging["platform"];

/** Recoveries are short and many: little is taken at once for each. */
const chunkEvents = 1 << 10;
const keptBytes = 256 << 20;
/** No traced run has so many versions of its files. */
const firstVersion = 2 ** 32;

export class TracedRecoveries {
  readonly #subject: Subject;
  readonly #maxInstructions: number;
  #made: ReturnType<TracedRecoveries["make"]> | undefined;
  #nextVersion = firstVersion;
  #current: { readonly store: EventStore; readonly history: FileHistory; readonly loads: TracedLoad[] } | undefined;
  readonly #takesLoads: boolean;

  constructor(subject: Subject, maxInstructions: number, { loads = false } = {}) {
    this.#subject = subject;
    this.#takesLoads = loads;
    this.#maxInstructions = maxInstructions;
  }

  /** Of all its traces. */
  get places(): Places {
    return this.#machine.places;
  }

  trace(layout: Layout, expectExit = 0): TracedRecovery {
    const { recorder, recovery, machine, tables } = this.#machine;
    const openSpill = () => this.#subject.ports.openScratch();
    const store = new EventStore(tables, { memoryBytes: keptBytes, chunkEvents, openSpill });
    const history = new FileHistory();
    const loads: TracedLoad[] = [];
    let first = 0;
    const ended = recovery.run(layout, this.#maxInstructions, expectExit, (instructions) => {
      recorder.flush();
      first = recorder.count;
      this.#current = { store, history, loads };
      history.begin(machine);
      return machine.run(instructions);
    });
    machine.drainTrace();
    recorder.flush();
    history.end();
    this.#current = undefined;
    const firstVersion = this.#nextVersion;
    this.#nextVersion += history.starts.length;
    const own = loads.map((load) => ({ ...load, event: load.event - first }));
    return { trace: store, history, ended, firstVersion, loads: own };
  }

  /** What crashes inside the recovery are made of. */
  source(layout: Layout, platform: Platform): CrashSource {
    const { trace, history, firstVersion } = this.trace(layout);
    return crashSourceOf(trace, history, platform, {
      acknowledged: layout.acknowledged,
      firstVersion,
    });
  }

  get #machine() {
    this.#made ??= this.make();
    return this.#made;
  }

  /** One machine for all of them, made when the first is asked for. */
  protected make() {
    let [places, tables]: [Places | undefined, TraceTables | undefined] = [undefined, undefined];
    const recorder = new Recorder([
      (own) => {
        tables = own;
        places = this.#subject.places(own);
        return places.modules;
      },
      () => ({ events: (words) => this.#current?.store.events(words), end: () => {} }),
    ]);
    assert(places !== undefined && tables !== undefined, "a recorder makes all its sinks");
    const { recovery, machine } = this.#subject.recovery({
      trace: {
        recorder,
        annotations: false,
        ...(this.#takesLoads && { loads: (load: TracedLoad) => this.#current?.loads.push(load) }),
      },
      hooks: { returned: (_tid, name) => this.#returned(name) },
    });
    return { recorder, places, tables, recovery, machine };
  }

  #returned(name: string): void {
    const current = this.#current;
    if (current === undefined) return;
    current.history.returned(name, () => {
      const { machine, recorder } = this.#machine;
      machine.drainTrace();
      recorder.flush();
      return current.store.count;
    });
  }
}
