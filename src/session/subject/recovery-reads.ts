/**
 * What a recovery reads of persistent files, and where: it runs once more, traced, and stops before each use. Always:
 * - Reads come in their order, by aligned four bytes, each of them once; what recovery wrote itself before is not told.
 * - Neighbouring bytes that one instruction reads, called in one way, are one read.
 */

import type { PlacedMark } from "../../crash/finding/index.ts";
import type { Layout, RecoveryEnd } from "../../crash/states/index.ts";
import type { RunResult } from "../../machine/index.ts";
import { PlacedRecovery } from "./placed-recovery.ts";
import type { Subject } from "./subject.ts";

export interface FirstRead {
  /** As the machine names the file. */
  readonly path: string;
  readonly offset: number;
  readonly size: number;
  readonly mark: PlacedMark["mark"];
}

/** A recovery that uses persistent memory more often than that runs on without its places. */
const mostStops = 100_000;
const halfBytes = 4;
/** A read that goes on is told line by line. */
const lineBytes = 64;

export class RecoveryReads {
  readonly #subject: Subject;
  readonly #maxInstructions: number;
  #made: PlacedRecovery | undefined;

  constructor(subject: Subject, maxInstructions: number) {
    this.#subject = subject;
    this.#maxInstructions = maxInstructions;
  }

  get #traced(): PlacedRecovery {
    this.#made ??= new PlacedRecovery(this.#subject);
    return this.#made;
  }

  placed(mark: PlacedMark["mark"]): PlacedMark {
    return this.#traced.placed(mark);
  }

  /** How recovery ends, whatever it reads. */
  end(layout: Layout, expectExit: number): RecoveryEnd {
    return this.#traced.recovery.run(layout, this.#maxInstructions, expectExit);
  }

  /** `persistent` are the files that count. */
  of(layout: Layout, persistent: ReadonlySet<string>): readonly FirstRead[] {
    const { machine, recovery } = this.#traced;
    const reads: FirstRead[] = [];
    let place: PlacedMark["mark"] | undefined;
    machine.watch({
      isWatched: (path) => persistent.has(path),
      halves: true,
      words: (path, halves) => {
        if (place !== undefined) for (const half of halves) addHalf(reads, path, half * halfBytes, place);
      },
      name: () => {},
      listing: () => {},
    });
    this.#traced.begin();
    const uses = (instructions: number) =>
      this.#goByUses(instructions, (at) => {
        place = at;
      });
    recovery.run(layout, this.#maxInstructions, undefined, uses);
    machine.watch(undefined);
    return reads;
  }

  /** Tells where the machine is before each use; undefined before what runs on without stops. */
  #goByUses(instructions: number, before: (place: PlacedMark["mark"] | undefined) => void): RunResult {
    const { machine } = this.#traced;
    const end = machine.instructions + instructions;
    const left = () => Math.max(0, end - machine.instructions);
    for (let stops = 0; stops < mostStops; stops++) {
      const result = machine.runToUse(() => false, left());
      // A call that had waited went on and used something: nobody knows how far that run came.
      if (result === undefined) break;
      if (result.kind !== "use") return result;
      before(this.#traced.place());
      const step = machine.run(Math.min(1, left()));
      if (step.kind === "ended") return step;
    }
    before(undefined);
    return machine.run(left());
  }
}

function addHalf(reads: FirstRead[], path: string, offset: number, mark: PlacedMark["mark"]): void {
  const last = reads.at(-1);
  const goesOn =
    last?.path === path &&
    last.offset + last.size === offset &&
    offset % lineBytes !== 0 &&
    last.mark.site === mark.site &&
    last.mark.stack === mark.stack;
  if (goesOn) reads[reads.length - 1] = { ...last, size: last.size + halfBytes };
  else reads.push({ path, offset, size: halfBytes, mark });
}
