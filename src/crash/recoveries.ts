/**
 * How recovery ends at the crash states of one failure point after another. Always:
 * - An outcome is that of running recovery on the crash state; the memo only spares runs.
 */
import type { FileVersions } from "./files.ts";
import type { TrackedLine } from "./lines.ts";
import type { FailurePoint } from "./points.ts";
import type { Ended, Layout, Recovery } from "./recovery.ts";
import { contentsOf, lostKeys } from "./states.ts";
import type { Moment } from "./walk.ts";

export interface RecoveriesOptions {
  /** Off: every crash state runs. */
  readonly memo: boolean;
  readonly maxInstructions: number;
  /** From the trace's path of a persistent file to the name the machine knows. */
  guestPath(path: string): string;
}

export class Recoveries {
  readonly #recovery: Recovery;
  readonly #history: FileVersions;
  readonly #options: RecoveriesOptions;
  readonly #outcomes = new Map<string, Ended>();
  /** Recoveries run for outcomes that the memo did not have. */
  runs = 0;

  constructor(recovery: Recovery, history: FileVersions, options: RecoveriesOptions) {
    this.#recovery = recovery;
    this.#history = history;
    this.#options = options;
  }

  /** These lines keep only what is surely persisted, all others every store. */
  outcome(point: FailurePoint, moment: Moment, lost: readonly TrackedLine[]): Ended {
    const version = this.#history.versionAt(point.seq);
    const { low, high } = moment.lines.digest(lostKeys(lost));
    const key = `${low} ${high} ${version} ${moment.acknowledged.length}`;
    const known = this.#options.memo ? this.#outcomes.get(key) : undefined;
    if (known !== undefined) return known;
    this.runs++;
    const ended = this.#recovery.run(this.layout(point, moment, lost), this.#options.maxInstructions);
    this.#outcomes.set(key, ended);
    return ended;
  }

  /** The whole crash state as plain data, to be run again elsewhere. */
  layout(point: FailurePoint, { lines, mappings, acknowledged }: Moment, lost: readonly TrackedLine[]): Layout {
    const version = this.#history.versionAt(point.seq);
    const { guestPath } = this.#options;
    return {
      version,
      files: () => this.#history.read(version),
      lines: [...contentsOf(lines, lost)].map(({ file, index, bytes }) => ({
        path: guestPath(mappings.path(file)),
        index,
        bytes: bytes.slice(),
      })),
      acknowledged: acknowledged.slice(),
    };
  }
}
