/** When the alarm is asked next (docs/adr/0023-alarm.md): it may throw, between instructions, to end the run there. */

/** Instructions between two questions: a tenth of a second or less. */
const pauseInstructions = 10_000_000;
/** What it takes to handle a system call or a fault, in instructions of the guest. */
const eventInstructions = 1000;

export class AlarmPause {
  readonly #ask: (() => void) | undefined;
  readonly #spent: ((instructions: number) => void) | undefined;
  /** Instructions that may run before the next question. */
  left: number;

  constructor(ask: (() => void) | undefined, spent: ((instructions: number) => void) | undefined) {
    this.#ask = ask;
    this.#spent = spent;
    this.left = ask === undefined ? Number.POSITIVE_INFINITY : 0;
  }

  askIfDue(): void {
    if (this.left > 0) return;
    this.#ask?.();
    this.left = pauseInstructions;
  }

  /** A run took so many instructions in all: whoever counts them may end the work here, at the same place each time. */
  tell(instructions: number): void {
    this.#spent?.(instructions);
  }

  /** So much has run, up to an event. */
  spend(instructions: number): void {
    this.left -= instructions + eventInstructions;
  }
}
