/**
 * What recovery does after clean stops, which keep every store so far: the measure of what it may do after a crash. Always:
 * what is said of a stop depends on the trace alone; asked about crashes in increasing order, it walks the trace once.
 */
import { TraceCursor } from "./cursor.ts";
import { verdictFails } from "./failure.ts";
import { operationAfter, operationAround, operationsBefore } from "./operations.ts";
import { type OutcomeOptions, RecoveryOutcomes } from "./outcomes.ts";
import type { RecoveryEnd, RecoveryMachine } from "./recovery-machine.ts";
import type { CrashSource } from "./source.ts";

/** What the commands printed after a recovery that went well, and what it left unreached. */
type Printed = Pick<RecoveryEnd, "stdout" | "thenPrinted" | "unreached">;

export const linesIn = (text: string): number => text.split("\n").filter((line) => line !== "").length;

/** Of the operations' ends up to a crash, the 1st, 2nd, 4th … and the last are looked at. */
function stopsBefore(count: number): readonly number[] {
  const stops: number[] = [];
  for (let at = 1; at < count; at *= 2) stops.push(at - 1);
  return count === 0 ? [] : [...stops, count - 1];
}

export class CleanStops {
  readonly #source: CrashSource;
  readonly #options: OutcomeOptions;
  readonly #recoveries: RecoveryOutcomes;
  readonly #cursor: TraceCursor;
  /** What is printed after a clean stop, by position and the number of the operation that follows. */
  readonly #printed = new Map<number, Map<number, Printed>>();
  /** Lines that recovery prints there; undefined where it does not go well. */
  readonly #lines = new Map<number, number | undefined>();

  constructor(source: CrashSource, recovery: RecoveryMachine, options: OutcomeOptions) {
    this.#source = source;
    this.#options = options;
    this.#recoveries = new RecoveryOutcomes(recovery, source, options);
    this.#cursor = new TraceCursor(source);
  }

  /** What may be printed after a crash before event `seq`: as before the operation under way, or as after it. */
  allowed(seq: number): readonly [Printed, Printed] {
    const { operations, trace } = this.#source;
    const [before, after] = operationAround(operations, seq, trace.count);
    for (const position of this.#printed.keys()) if (position < before) this.#printed.delete(position);
    const operation = operationAfter(operations, seq);
    return [this.#after(before, operation), this.#after(after, operation)];
  }

  /**
   * The fewest lines that recovery prints after clean stops before event `seq`, from the first on at which it prints any;
   * undefined when it prints none there.
   */
  fewestLines(seq: number): number | undefined {
    const { operations } = this.#source;
    const counts = stopsBefore(operationsBefore(operations, seq)).map((index) => this.#linesAt(operations[index]!));
    const usable = counts.findIndex((count) => count !== undefined && count > 0);
    if (usable < 0) return undefined;
    return Math.min(...counts.slice(usable).map((count) => count ?? Number.POSITIVE_INFINITY));
  }

  /** How many lines recovery prints after the clean stop before the operation under way. */
  linesBefore(seq: number): number | undefined {
    const { operations } = this.#source;
    const count = operationsBefore(operations, seq);
    return count === 0 ? undefined : this.#linesAt(operations[count - 1]!);
  }

  #linesAt(position: number): number | undefined {
    if (!this.#lines.has(position)) {
      const ended = this.#run(position, operationAfter(this.#source.operations, position));
      const goesWell = !verdictFails(ended.verdict, this.#options.expectExit);
      this.#lines.set(position, goesWell ? linesIn(ended.stdout) : undefined);
    }
    return this.#lines.get(position);
  }

  #after(position: number, operation: number): Printed {
    const known = this.#printed.get(position) ?? new Map<number, Printed>();
    this.#printed.set(position, known);
    const printed = known.get(operation) ?? this.#run(position, operation);
    known.set(operation, printed);
    return printed;
  }

  #run(position: number, operation: number): RecoveryEnd {
    const point = { seq: position, before: "end", thread: 0, site: 0, stack: 0 } as const;
    return this.#recoveries.outcome(point, this.#cursor.before(position), [], { operation });
  }
}

export const printsFewer = (ended: RecoveryEnd, lines: number | undefined): boolean =>
  lines !== undefined && linesIn(ended.stdout) < lines;
