/**
 * Where a recovery reads what the program stored last, and what became of it there: it runs once more, traced, up to the first
 * use of those bytes, and on until the function that used them is left. Always:
 * - The function is the innermost of the program's own with a source line; one that reads and returns on one line is left to its
 *   caller, which has a use for what it returns.
 * - Functions that a compiler inlined are functions as the source has them.
 */

import { outsideTheSystem, ownPosition, type PlacedMark, type ReadingFacts } from "../../crash/finding/index.ts";
import type { Layout } from "../../crash/states/index.ts";
import type { RunResult } from "../../machine/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import { type FileBytes, PersistentUses } from "./persistent-uses.ts";
import type { PlacedRecovery } from "./placed-recovery.ts";

/** Instructions among which a use is looked for by stopping at every one; and uses that are looked at once it is found. */
const stretch = 250_000;
const usesInside = 2_000;
/** Instructions until the function is left; in one that is inlined each of them is looked at. */
const mostInstructions = 4_000_000;
const mostSteps = 10_000;
/** Callers that are asked in place of functions of one line. */
const mostCallers = 3;

export class ReadingPlaces {
  readonly #traced: () => PlacedRecovery;
  readonly #maxInstructions: number;

  /** `traced` makes the machine when the first question comes. */
  constructor(traced: () => PlacedRecovery, maxInstructions: number) {
    this.#traced = traced;
    this.#maxInstructions = maxInstructions;
  }

  /** `persistent` are the files that count. Undefined where nothing of the program's own reads the bytes. */
  of(layout: () => Layout, persistent: ReadonlySet<string>, bytes: FileBytes): ReadingFacts | undefined {
    const before = this.#before(layout, persistent, bytes);
    if (before === undefined) return undefined;
    const traced = this.#traced();
    const { machine } = traced;
    let found: ReadingFacts | undefined;
    this.#run(layout, persistent, (uses) => {
      uses.run(before);
      const read = firstUse(uses, bytes, machine.instructions + stretch);
      if (read === undefined) return;
      const from = machine.snapshot();
      found = new Reading(traced, uses, traced.placed(read)).told(() => machine.restore(from));
      machine.release(from);
    });
    return found;
  }

  /** After how many instructions the stretch begins that the first use lies in. */
  #before(layout: () => Layout, persistent: ReadonlySet<string>, bytes: FileBytes): number | undefined {
    let before: number | undefined;
    this.#run(layout, persistent, (uses) => {
      for (let done = 0; before === undefined && done < this.#maxInstructions; done += stretch) {
        const { kind } = uses.run(stretch);
        if (uses.has(bytes)) before = done;
        else if (kind === "ended") return;
      }
    });
    return before;
  }

  #run(layout: () => Layout, persistent: ReadonlySet<string>, look: (uses: PersistentUses) => void): void {
    const traced = this.#traced();
    const uses = new PersistentUses(traced, persistent);
    traced.begin();
    traced.recovery.run(layout(), this.#maxInstructions, undefined, (): RunResult => {
      look(uses);
      return { kind: "limit" };
    });
    uses.end();
  }
}

/** Runs past the first use of any of these bytes, and says where that was. */
function firstUse(uses: PersistentUses, bytes: FileBytes, end: number): PlacedMark["mark"] | undefined {
  for (let next = uses.next(end); next?.kind === "use"; next = uses.next(end)) if (uses.has(bytes)) return next.mark;
  return undefined;
}

/** How a function goes on from a read. */
interface Rest {
  /** Whether recovery ended while it ran. */
  readonly ended?: true;
  /** The last place while it ran. */
  readonly left?: PlacedMark;
}

const ownAt = (frames: readonly Frame[]): number | undefined => {
  const own = ownPosition(frames, outsideTheSystem);
  return own === undefined || frames[own]!.line === undefined ? undefined : own;
};

/** One first read, and the functions that it was made in. */
class Reading {
  readonly #traced: PlacedRecovery;
  readonly #uses: PersistentUses;
  readonly #read: PlacedMark;
  /** The last read of something new, also while a function ran that was left to its caller. */
  #last: PlacedMark["mark"];

  constructor(traced: PlacedRecovery, uses: PersistentUses, read: PlacedMark) {
    this.#traced = traced;
    this.#uses = uses;
    this.#read = read;
    this.#last = read.mark;
  }

  /** `again` puts the machine back to right after the read. */
  told(again: () => void): ReadingFacts | undefined {
    const { frames } = this.#read;
    let own = ownAt(frames);
    for (let callers = 0; own !== undefined && callers <= mostCallers; callers++) {
      const { ended, left } = this.#rest(own, again);
      again();
      const caller = ownAt(frames.slice(own + 1));
      const end = left && this.#frameIn(left, own);
      const isOneLine = ended === undefined && end !== undefined && end.line === frames[own]!.line;
      // The outermost is main, which says nothing.
      if (!isOneLine || caller === undefined || ownAt(frames.slice(own + caller + 2)) === undefined)
        return { read: this.#read, own, ...(end && { end }), ...(ended && { ended }), ...this.#lastPart(own) };
      own += caller + 1;
    }
    return undefined;
  }

  /** The frame of the function at this position among the read's, at another place while it runs. */
  #frameIn({ frames }: PlacedMark, own: number): Frame | undefined {
    const outer = this.#read.frames.slice(own + 1);
    const at = frames.length - outer.length - 1;
    const isSame = (frame: Frame, index: number) => {
      const other = frames[at + 1 + index]!;
      return other.function === frame.function && other.file === frame.file && other.line === frame.line;
    };
    return at >= 0 && frames[at]!.function === this.#read.frames[own]!.function && outer.every(isSame)
      ? frames[at]
      : undefined;
  }

  /** Where what the read led to was read last, if that is in another function. */
  #lastPart(own: number): Pick<ReadingFacts, "last"> {
    if (this.#last === this.#read.mark) return {};
    const last = this.#traced.placed(this.#last);
    const at = ownAt(last.frames);
    const isElsewhere = at !== undefined && last.frames[at]!.function !== this.#read.frames[own]!.function;
    return isElsewhere ? { last } : {};
  }

  #rest(own: number, again: () => void): Rest {
    return this.#read.frames[own]!.inlined ? this.#inlinedRest(own) : this.#calledRest(own, again);
  }

  #calledRest(own: number, again: () => void): Rest {
    const { machine } = this.#traced;
    const returns = this.#traced.returnsOf(this.#read.mark);
    const depth = returns.length - this.#read.frames.slice(0, own).filter(({ inlined }) => !inlined).length;
    const back = returns[returns.length - depth];
    const start = machine.instructions;
    machine.stopAt(back === undefined ? [] : [back]);
    const place = (kind: "ended" | "address"): PlacedMark | undefined => {
      // Right before the return; where recovery ended there, at its end.
      const steps = machine.instructions - start - (kind === "address" ? 1 : 0);
      machine.stopAt([]);
      if (kind === "address") {
        again();
        machine.run(steps);
      }
      const mark = this.#traced.place();
      return mark && this.#traced.placed(mark);
    };
    for (let uses = 0; uses < usesInside; uses++) {
      const next = this.#uses.next(start + mostInstructions);
      if (next === undefined || next.kind === "limit") break;
      if (next.kind === "use") this.#last = this.#uses.isNew ? next.mark : this.#last;
      else if (next.kind === "ended" || this.#depth() < depth) {
        const left = place(next.kind);
        const ended = next.kind === "ended" && { ended: true as const };
        return { ...ended, ...(left && { left }) };
      }
    }
    machine.stopAt([]);
    return {};
  }

  /** Calls that the running thread is in. */
  #depth(): number {
    const mark = this.#traced.place();
    return mark === undefined ? Number.POSITIVE_INFINITY : this.#traced.returnsOf(mark).length;
  }

  #inlinedRest(own: number): Rest {
    let left = this.#read;
    for (let steps = 0; steps < mostSteps; steps++) {
      const mark = this.#traced.place();
      const placed = mark && this.#traced.placed(mark);
      if (placed === undefined || this.#frameIn(placed, own) === undefined) return { left };
      left = placed;
      if (this.#uses.run(1).kind === "ended") return { ended: true, left };
      if (this.#uses.isNew) this.#last = placed.mark;
    }
    return {};
  }
}
