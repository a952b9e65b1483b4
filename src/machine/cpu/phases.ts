/** Where the time goes: seconds by phase, measured with a clock that the caller supplies. */
export const phases = ["start", "decode", "lift", "compile", "run"] as const;
export type Phase = (typeof phases)[number];

/** Phases may nest: time is charged to the innermost one. */
export class PhaseClock {
  readonly #now: () => number;
  readonly milliseconds: Record<Phase, number> = { start: 0, decode: 0, lift: 0, compile: 0, run: 0 };
  #current: Phase | undefined;
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  measure<T>(phase: Phase, work: () => T): T {
    const outer = this.#current;
    this.#switch(phase);
    try {
      return work();
    } finally {
      this.#switch(outer);
    }
  }

  #switch(phase: Phase | undefined): void {
    const now = this.#now();
    if (this.#current) this.milliseconds[this.#current] += now - this.#since;
    this.#current = phase;
    this.#since = now;
  }
}
