/**
 * The output oracle: after a crash, recovery prints what it prints after a clean stop before or after the operation that
 * was under way. A clean stop keeps every store so far. Always: asked about crashes in increasing order, it walks the trace
 * once.
 */
import { TraceCursor } from "./cursor.ts";
import { operationAround } from "./operations.ts";
import { type OutcomeOptions, RecoveryOutcomes } from "./outcomes.ts";
import type { RecoveryMachine } from "./recovery-machine.ts";
import type { CrashSource } from "./source.ts";

export class OutputOracle {
  readonly #source: CrashSource;
  readonly #recoveries: RecoveryOutcomes;
  readonly #cursor: TraceCursor;
  /** What recovery prints after a clean stop, by position. */
  readonly #printed = new Map<number, string>();

  constructor(source: CrashSource, recovery: RecoveryMachine, options: OutcomeOptions) {
    this.#source = source;
    this.#recoveries = new RecoveryOutcomes(recovery, source, options);
    this.#cursor = new TraceCursor(source);
  }

  /** What recovery may print after a crash before event `seq`. */
  allowed(seq: number): readonly [string, string] {
    const [before, after] = operationAround(this.#source.operations, seq, this.#source.trace.count);
    for (const position of this.#printed.keys()) if (position < before) this.#printed.delete(position);
    return [this.#after(before), this.#after(after)];
  }

  #after(position: number): string {
    const known = this.#printed.get(position);
    if (known !== undefined) return known;
    const point = { seq: position, before: "end", thread: 0, site: 0, stack: 0 } as const;
    const { stdout } = this.#recoveries.outcome(point, this.#cursor.before(position), []);
    this.#printed.set(position, stdout);
    return stdout;
  }
}
