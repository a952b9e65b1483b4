/**
 * The one answer to whether a recovery has failed, by what the user asked for: how it ends, what it prints, what the work prints that
 * goes on, and what it leaves unreached. Crash injection, exploration and enumeration all ask here. Always: the answer depends on
 * the trace and on where the power was cut, not on what was judged before.
 */
import { CleanStops, linesIn, printsFewer } from "./clean-stops.ts";
import { failureKey, verdictFails, wrongOutput } from "./failure.ts";
import { leakedObjects, leakFailure } from "./leaks.ts";
import type { OutcomeOptions } from "./outcomes.ts";
import type { RecoveryEnd, RecoveryMachine } from "./recovery-machine.ts";
import type { CrashSource } from "./source.ts";
import type { PoolObject } from "./unreached.ts";
import type { Judging, PrintedWrong } from "./witness.ts";

/** The failure of a recovery that ends well and finds less than there ever was. */
export const fewerLines = "lines";

/** What is judged besides how recovery ends. */
export interface JudgedOutput {
  /** All that is printed, by recoveries and by what goes on. */
  readonly output: boolean;
  /** What the work prints that goes on. */
  readonly work: boolean;
}

export const judgedIn = ({
  judging,
  subject,
}: {
  readonly judging: Pick<Judging, "oracle">;
  readonly subject: { readonly options: { readonly thenCommand?: readonly string[] } };
}): JudgedOutput => ({ output: judging.oracle === "output", work: subject.options.thenCommand !== undefined });

export class RecoveryOracle {
  readonly #source: CrashSource;
  readonly #options: OutcomeOptions;
  readonly #judged: JudgedOutput;
  readonly #machine: () => RecoveryMachine;
  #made: CleanStops | undefined;

  /** Clean stops are looked at in a machine of their own, made when one is first needed. */
  constructor(source: CrashSource, options: OutcomeOptions, judged: JudgedOutput, machine: () => RecoveryMachine) {
    this.#source = source;
    this.#options = options;
    this.#judged = judged;
    this.#machine = machine;
  }

  get #stops(): CleanStops {
    this.#made ??= new CleanStops(this.#source, this.#machine(), this.#options);
    return this.#made;
  }

  /**
   * How recovery failed after a crash before event `seq`, undefined when it went well. `full` is how it ends with every
   * store kept: only a recovery that prints less than that may have lost something. Without it, that is not judged.
   */
  failureOf(seq: number, ended: RecoveryEnd, full?: () => RecoveryEnd): string | undefined {
    if (verdictFails(ended.verdict, this.#options.expectExit)) return failureKey(ended);
    if (this.#expected(seq)?.includes(this.#printed(ended)) === false) return wrongOutput;
    if (full !== undefined && this.#isLess(seq, ended, full)) return fewerLines;
    return this.leaked(seq, ended).length > 0 ? leakFailure : undefined;
  }

  /** Objects that the crash leaks. */
  leaked(seq: number, ended: RecoveryEnd): readonly PoolObject[] {
    return leakedObjects(seq, ended, () => this.#stops);
  }

  /** The part of what was printed that is judged. */
  #printed({ stdout, thenPrinted = "" }: Pick<RecoveryEnd, "stdout" | "thenPrinted">): string {
    return this.#judged.output ? stdout : thenPrinted;
  }

  /** What should be printed after a crash before event `seq`, one or the other; undefined where nobody asks for it. */
  #expected(seq: number): readonly [string, string] | undefined {
    if (!this.#judged.output && !this.#judged.work) return undefined;
    const [before, after] = this.#stops.allowed(seq);
    return [this.#printed(before), this.#printed(after)];
  }

  /** What is wrong with what was printed, where that is the failure. */
  printedWrong(seq: number, ended: RecoveryEnd, failure: string): PrintedWrong | undefined {
    if (failure === fewerLines) return { stdout: ended.stdout, right: [], fewest: this.#stops.fewestLines(seq)! };
    if (failure !== wrongOutput) return undefined;
    const of = this.#judged.output ? {} : { of: "work" as const };
    return { stdout: this.#printed(ended), ...of, right: this.#expected(seq)! };
  }

  /** Nearest first: mostly the stop before the operation under way shows that nothing is missing. */
  #isLess(seq: number, ended: RecoveryEnd, full: () => RecoveryEnd): boolean {
    const { output, work } = this.#judged;
    if (output || work || this.#source.operations.length === 0) return false;
    if (!printsFewer(ended, linesIn(full().stdout))) return false;
    return printsFewer(ended, this.#stops.linesBefore(seq)) && printsFewer(ended, this.#stops.fewestLines(seq));
  }
}
