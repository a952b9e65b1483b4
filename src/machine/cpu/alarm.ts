/**
 * When the alarm is asked next (docs/adr/0023-alarm.md): it may throw, to end the run there. What takes the host long in one
 * instruction or call of the guest tells of its work, so that the alarm is asked some ten times a second whatever the guest does.
 */

/** Units between two questions; an instruction that compiled code runs is one, some ten nanoseconds. */
const pauseUnits = 10_000_000;

/** What takes longer, in units; bytes that are copied count one each. */
export const workUnits = {
  /** A system call, a fault or a signal, which may take long without moving bytes: changing many mappings, say. */
  event: pauseUnits / 10,
  /** An instruction that the machine makes itself, or that a helper does. */
  complex: 500,
  /** A block that is decoded, lifted and translated. */
  translated: 20_000,
  /** A buffer full of events, handed to who judges them. */
  recorded: 200_000,
  /** A region that is compiled. */
  compiled: 2_000_000,
} as const;

/** Linux's MAX_RW_COUNT, about. */
const mostMoved = 0x7fff_ffffn;

/** Of what a call gives, as a count of bytes: an error is none. */
export const bytesMoved = (given: bigint): number => (given > mostMoved ? 0 : Number(given));

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
    this.left = pauseUnits;
    this.#ask?.();
  }

  /** A run took so many instructions in all: whoever counts them may end the work here, at the same place each time. */
  tell(instructions: number): void {
    this.#spent?.(instructions);
  }

  /** So many instructions have run. */
  spend(instructions: number): void {
    this.left -= instructions;
  }

  /** Work within an instruction or a call: the alarm may end the run in the middle of it, and nothing goes on from there. */
  readonly work = (units: number): void => {
    this.left -= units;
    if (this.left <= 0) this.askIfDue();
  };
}
