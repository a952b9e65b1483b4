/**
 * Where failing recoveries end: each runs once more, traced, in one machine that is made when the first one asks. Always:
 * - Recoveries that end in the same way with the same words have ended at the same place.
 * - A recovery that returns from main has ended where it decided to: at the last line of the program's own before it left.
 */

import { outsideTheSystem, ownPosition, type PlacedMark } from "../../crash/finding/index.ts";
import type { Layout, RecoveryEnd } from "../../crash/states/index.ts";
import { PlacedRecovery } from "./placed-recovery.ts";
import type { Subject } from "./subject.ts";

/** Instructions before the end among which main's return is looked for: what runs after it is short. */
const searchedBack = 100_000;
/** And among which the line that led to it is. */
const longestEpilogue = 64;

/** With a source line: of a static program, the C library is in its own file too. */
function ownFrame({ frames }: PlacedMark) {
  const own = frames[ownPosition(frames, outsideTheSystem) ?? -1];
  return own?.file === undefined ? undefined : own;
}

export class EndPlaces {
  readonly #subject: Subject;
  readonly #maxInstructions: number;
  readonly #known = new Map<string, PlacedMark | undefined>();
  #made: PlacedRecovery | undefined;

  constructor(subject: Subject, maxInstructions: number) {
    this.#subject = subject;
    this.#maxInstructions = maxInstructions;
  }

  /** The machine that they run in, for who has another question to a recovery. */
  get traced(): PlacedRecovery {
    this.#made ??= new PlacedRecovery(this.#subject);
    return this.#made;
  }

  of(layout: Layout, { verdict, stderr }: RecoveryEnd): PlacedMark | undefined {
    if (stderr === "") return this.#find(layout);
    const how = verdict.kind === "signal" ? verdict.site : verdict.kind === "exit" ? verdict.code : "";
    const key = `${verdict.kind} ${how} ${stderr}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#find(layout));
    return this.#known.get(key);
  }

  #find(layout: Layout): PlacedMark | undefined {
    const traced = this.traced;
    traced.begin();
    const { verdict, instructions } = traced.recovery.run(layout, this.#maxInstructions);
    const mark = traced.place();
    const end = mark && traced.placed(mark);
    if (end === undefined || verdict.kind !== "exit" || ownFrame(end) !== undefined) return end;
    return this.#before(layout, instructions) ?? end;
  }

  /** The last own line on the way to the end of a recovery of so many instructions. */
  #before(layout: Layout, instructions: number): PlacedMark | undefined {
    const { machine, recovery } = this.traced;
    const back = Math.min(instructions, searchedBack);
    let found: PlacedMark | undefined;
    this.traced.begin();
    recovery.run(layout, this.#maxInstructions, undefined, () => {
      machine.run(instructions - back);
      const from = machine.snapshot();
      found = this.#lastOwn(back, (steps) => {
        machine.restore(from);
        machine.run(steps);
        const mark = this.traced.place();
        return mark && this.traced.placed(mark);
      });
      machine.release(from);
      return machine.run();
    });
    return found;
  }

  /** `at` says where the program is after so many steps; after all of them, in no code of its own. */
  #lastOwn(steps: number, at: (steps: number) => PlacedMark | undefined): PlacedMark | undefined {
    const own = (count: number) => {
      const place = at(count);
      return place && ownFrame(place) && place;
    };
    let [low, high] = [steps, steps];
    let last: PlacedMark | undefined;
    for (let stride = 16; last === undefined && low > 0; stride *= 2) {
      [low, high] = [Math.max(0, steps - stride), low];
      last = own(low);
    }
    while (last !== undefined && high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const place = own(middle);
      if (place === undefined) high = middle;
      else [low, last] = [middle, place];
    }
    // The return itself is part of the closing brace: what comes before it says why.
    for (let back = 1; last !== undefined && back <= Math.min(low, longestEpilogue); back++) {
      const place = own(low - back);
      if (place !== undefined && isElsewhere(place, last)) return place;
    }
    return last;
  }
}

function isElsewhere(place: PlacedMark, other: PlacedMark): boolean {
  const [one, two] = [ownFrame(place)!, ownFrame(other)!];
  return one.line !== two.line || one.column !== two.column;
}
