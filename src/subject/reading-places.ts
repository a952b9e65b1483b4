/**
 * Where a recovery reads what the program stored last, and what became of it there: it runs once more, traced, up to the first
 * use of those bytes, and on until the function that used them is left. Always:
 * - The function is the innermost of the program's own with a source line; one that reads and returns on one line is left to its
 *   caller, which has a use for what it returns.
 * - Functions that a compiler inlined are functions as the source has them.
 */
import type { Layout } from "../crash/index.ts";
import { outsideTheSystem, ownPosition, type PlacedMark, type ReadingFacts } from "../finding/index.ts";
import type { Frame } from "../trace/index.ts";
import type { RunResult } from "../vm/index.ts";
import type { PlacedRecovery } from "./placed-recovery.ts";

/** Bytes of a persistent file, as the machine names it. */
export interface FileBytes {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

const halfBytes = 4;
/** Uses up to the first of the bytes, and from there on. */
const mostUses = 20_000;
const usesInside = 2_000;
/** Instructions until the function is left; in one that is inlined each of them is looked at. */
const mostInstructions = 4_000_000;
const mostSteps = 10_000;
/** Callers that are asked in place of functions of one line. */
const mostCallers = 3;

type Mark = PlacedMark["mark"];

export class ReadingPlaces {
  readonly #traced: () => PlacedRecovery;
  readonly #maxInstructions: number;

  /** `traced` makes the machine when the first question comes. */
  constructor(traced: () => PlacedRecovery, maxInstructions: number) {
    this.#traced = traced;
    this.#maxInstructions = maxInstructions;
  }

  /** `persistent` are the files that count. Undefined where nothing of the program's own reads the bytes. */
  of(layout: Layout, persistent: ReadonlySet<string>, bytes: FileBytes): ReadingFacts | undefined {
    const traced = this.#traced();
    const { machine } = traced;
    let found: ReadingFacts | undefined;
    const uses = new Uses(traced, persistent);
    traced.begin();
    traced.recovery.run(layout, this.#maxInstructions, undefined, (instructions): RunResult => {
      const read = uses.firstOf(bytes, instructions);
      const placed = read && traced.placed(read);
      if (placed !== undefined) {
        const from = machine.snapshot();
        found = new Reading(traced, uses, placed).told(() => machine.restore(from));
        machine.release(from);
      }
      return { kind: "limit" };
    });
    machine.stopAt([]);
    machine.watch(undefined);
    return found;
  }
}

/** Stops before each first use of persistent memory. */
class Uses {
  readonly #traced: PlacedRecovery;
  #met: { readonly path: string; readonly halves: readonly number[] } | undefined;

  constructor(traced: PlacedRecovery, persistent: ReadonlySet<string>) {
    this.#traced = traced;
    traced.machine.watch({
      isWatched: (path) => persistent.has(path),
      halves: true,
      words: (path, halves) => {
        this.#met = { path, halves: [...(this.#met?.path === path ? this.#met.halves : []), ...halves] };
      },
      name: () => {},
      listing: () => {},
    });
  }

  /** Runs past the first use of any of these bytes, and says where that was. */
  firstOf({ path, from, to }: FileBytes, instructions: number): Mark | undefined {
    const isOfThem = (half: number) => half * halfBytes < to && (half + 1) * halfBytes > from;
    for (let uses = 0, end = this.#traced.machine.instructions + instructions; uses < mostUses; uses++) {
      const next = this.next(end);
      if (next?.kind !== "use") return undefined;
      if (next.path === path && next.halves.some(isOfThem)) return next.mark;
    }
    return undefined;
  }

  /** Runs past the next use, or to where the run stops before one. */
  next(end: number): UseStop | undefined {
    const { machine } = this.#traced;
    const result = machine.runToUse(() => false, Math.max(0, end - machine.instructions));
    // A call that had waited went on and used something: nobody knows how far that run came.
    if (result === undefined) return undefined;
    if (result.kind !== "use") return { kind: result.kind };
    const mark = this.#traced.place();
    return mark && this.#step(mark);
  }

  #step(mark: Mark): UseStop {
    this.#met = undefined;
    this.#traced.machine.run(1);
    const { path, halves } = this.met ?? { path: "", halves: [] };
    return { kind: "use", mark, path, halves };
  }

  /** What the last instruction used. */
  get met() {
    return this.#met;
  }

  /** One instruction further, and whether that used something. */
  step(): boolean {
    this.#met = undefined;
    this.#traced.machine.run(1);
    return this.met !== undefined;
  }
}

type UseStop =
  | { readonly kind: "use"; readonly mark: Mark; readonly path: string; readonly halves: readonly number[] }
  | { readonly kind: Exclude<RunResult["kind"], "use"> };

/** How a function goes on from a read. */
interface Rest {
  /** The last place while it ran. */
  readonly left?: PlacedMark;
  /** The last read of something new while it ran. */
  readonly last: PlacedMark;
}

const ownAt = (frames: readonly Frame[]): number | undefined => {
  const own = ownPosition(frames, outsideTheSystem);
  return own === undefined || frames[own]!.line === undefined ? undefined : own;
};

/** One first read, and the functions that it was made in. */
class Reading {
  readonly #traced: PlacedRecovery;
  readonly #uses: Uses;
  readonly #read: PlacedMark;

  constructor(traced: PlacedRecovery, uses: Uses, read: PlacedMark) {
    this.#traced = traced;
    this.#uses = uses;
    this.#read = read;
  }

  /** `again` puts the machine back to right after the read. */
  told(again: () => void): ReadingFacts | undefined {
    const { frames } = this.#read;
    let own = ownAt(frames);
    for (let callers = 0; own !== undefined && callers <= mostCallers; callers++) {
      const { left, last } = this.#rest(own, again);
      again();
      const caller = ownAt(frames.slice(own + 1));
      const end = left && this.#frameIn(left, own);
      const isOneLine = end !== undefined && end.line === frames[own]!.line;
      // The outermost is main, which says nothing.
      if (!isOneLine || caller === undefined || ownAt(frames.slice(own + caller + 2)) === undefined)
        return { read: this.#read, own, ...(end && { end }), ...this.#lastPart(last, own) };
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
  #lastPart(last: PlacedMark, own: number): Pick<ReadingFacts, "last"> {
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
    let last = this.#read.mark;
    machine.stopAt(back === undefined ? [] : [back]);
    const place = (kind: UseStop["kind"]): PlacedMark | undefined => {
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
      if (next.kind === "use") last = next.halves.length > 0 ? next.mark : last;
      else if (next.kind === "ended" || this.#depth() < depth) {
        const left = place(next.kind);
        return { ...(left && { left }), last: this.#traced.placed(last) };
      }
    }
    machine.stopAt([]);
    return { last: this.#traced.placed(last) };
  }

  /** Calls that the running thread is in. */
  #depth(): number {
    const mark = this.#traced.place();
    return mark === undefined ? Number.POSITIVE_INFINITY : this.#traced.returnsOf(mark).length;
  }

  #inlinedRest(own: number): Rest {
    let [left, last] = [this.#read, this.#read];
    for (let steps = 0; steps < mostSteps; steps++) {
      const mark = this.#traced.place();
      const placed = mark && this.#traced.placed(mark);
      if (placed === undefined || this.#frameIn(placed, own) === undefined) return { left, last };
      left = placed;
      if (this.#uses.step()) last = placed;
    }
    return { last };
  }
}
