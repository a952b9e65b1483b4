/** What a recovery uses of persistent files for the first time, step by step or over a stretch. */
import type { PlacedMark } from "../../crash/finding/index.ts";
import type { RunResult } from "../../machine/index.ts";
import type { PlacedRecovery } from "./placed-recovery.ts";

/** Bytes of a persistent file, as the machine names it. */
export interface FileBytes {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

const halfBytes = 4;

/** Past a use, made by the instruction at `mark`; or where the run stopped before one. */
export type UseStop =
  | { readonly kind: "use"; readonly mark: PlacedMark["mark"] }
  | { readonly kind: Exclude<RunResult["kind"], "use"> };

export class PersistentUses {
  readonly #traced: PlacedRecovery;
  /** Aligned four bytes, by number, that were used last. */
  #met = new Map<string, number[]>();

  /** Of these files, from the beginning of the next recovery until `end`. */
  constructor(traced: PlacedRecovery, files: ReadonlySet<string>) {
    this.#traced = traced;
    traced.machine.watch({
      isWatched: (path) => files.has(path),
      halves: true,
      words: (path, halves) => {
        const known = this.#met.get(path) ?? [];
        for (const half of halves) known.push(half);
        this.#met.set(path, known);
      },
      name: () => {},
      listing: () => {},
    });
  }

  end(): void {
    this.#traced.machine.watch(undefined);
  }

  /** Whether the last run used something that was not used before. */
  get isNew(): boolean {
    return this.#met.size > 0;
  }

  /** Whether it used any of these bytes, which were not used before. */
  has({ path, from, to }: FileBytes): boolean {
    return (this.#met.get(path) ?? []).some((half) => half * halfBytes < to && (half + 1) * halfBytes > from);
  }

  run(instructions: number): RunResult {
    this.#met = new Map();
    return this.#traced.machine.run(instructions);
  }

  /** Runs past the next use; undefined where nobody knows how far it came. */
  next(end: number): UseStop | undefined {
    const { machine } = this.#traced;
    const result = machine.runToUse(() => false, Math.max(0, end - machine.instructions));
    // Undefined: a call that had waited went on and used something.
    if (result === undefined || result.kind !== "use") return result && { kind: result.kind };
    const mark = this.#traced.place();
    this.run(1);
    return mark && { kind: "use", mark };
  }
}
