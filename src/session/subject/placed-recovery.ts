/** A machine that stands ready to recover and knows where it is. */
import { assert } from "../../base/index.ts";
import type { PlacedMark } from "../../crash/finding/index.ts";
import type { RecoveryMachine } from "../../crash/states/index.ts";
import type { Machine } from "../../machine/index.ts";
import { type CodeLoop, codeLoopsAround } from "../../program/symbols/index.ts";
import { type EventPlace, Recorder } from "../../trace/events/index.ts";
import type { Places } from "./places.ts";
import type { Subject } from "./subject.ts";

export class PlacedRecovery {
  readonly machine: Machine;
  readonly recovery: RecoveryMachine;
  readonly #recorder: Recorder;
  readonly #places: Places;
  /** Events before the recovery that runs. */
  #before = 0;

  constructor(subject: Subject) {
    let places: Places | undefined;
    this.#recorder = new Recorder([
      (tables) => {
        places = subject.places(tables);
        return places.modules;
      },
    ]);
    assert(places !== undefined, "a recorder makes all its sinks");
    this.#places = places;
    const { recovery, machine } = subject.recovery({ trace: { recorder: this.#recorder, annotations: false } });
    this.machine = machine;
    this.recovery = recovery;
  }

  /** A recovery begins: its events count from here on. */
  begin(): void {
    this.machine.drainTrace();
    this.#before = this.#recorder.count;
  }

  /** Where the machine is, and how many events its recovery made so far. */
  place(): (EventPlace & { readonly seq: number }) | undefined {
    const place = this.machine.tracePlace();
    return place && { ...place, seq: this.#recorder.count - this.#before };
  }

  /** Where the calls return to that led to a place, innermost first. */
  returnsOf({ stack }: Pick<EventPlace, "stack">): readonly number[] {
    return this.#recorder.tables.contexts.stack(stack);
  }

  /** The loops of a function around one of its instructions, innermost first. */
  loopsAround(address: number): readonly CodeLoop[] {
    const code = this.#places.resolver.codeAt(address);
    return code === undefined ? [] : codeLoopsAround(code);
  }

  placed(mark: EventPlace & { readonly seq: number }): PlacedMark {
    // What is mapped is known once its events have come through.
    this.#recorder.flush();
    return { mark, frames: this.#places.resolver.frames(mark.site, mark.stack) };
  }
}
