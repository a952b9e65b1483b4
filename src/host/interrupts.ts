/**
 * Ctrl-C, and being told to end: the first signal asks for an end, the second is one. Always: signals less than a second apart are
 * one. timeout(1) signals its child and then its whole group, and so do wrappers that pass on what a terminal sent to all.
 */
import { setTimeout } from "node:timers/promises";
import { monotonicSeconds } from "./clock.ts";
import { turnOfOthers } from "./threads.ts";

const interrupted = 130;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const oneSignalSeconds = 1;

class Watch {
  readonly #first: () => void;
  /** When the first signal came. */
  #asked: number | undefined;

  constructor(first: () => void) {
    this.#first = first;
    this.begin();
  }

  readonly #hear = (): void => {
    if (this.#isPast) process.exit(interrupted);
    if (this.#asked !== undefined) return;
    this.#asked = monotonicSeconds();
    this.#first();
  };

  get #secondsLeft(): number {
    return this.#asked === undefined ? 0 : this.#asked + oneSignalSeconds - monotonicSeconds();
  }
  get #isPast(): boolean {
    return this.#asked !== undefined && this.#secondsLeft <= 0;
  }

  begin(): void {
    for (const signal of signals) process.on(signal, this.#hear);
  }
  end(): void {
    for (const signal of signals) process.off(signal, this.#hear);
  }
  /** Hears signals that came while nobody listened, and all that belong to the first one. */
  async outlast(): Promise<void> {
    await turnOfOthers();
    await setTimeout(1000 * Math.max(0, this.#secondsLeft));
    this.end();
  }
}

/** Calls `first` at the first signal; the function returned gives up the watch. */
export function watchInterrupts(first: () => void): () => Promise<void> {
  const watch = new Watch(first);
  return () => watch.outlast();
}

/** For work that is done in turns in this thread. */
export function hearInterrupts() {
  let asked = false;
  const watch = new Watch(() => {
    asked = true;
  });
  return {
    heard: async (): Promise<boolean> => {
      await turnOfOthers();
      return asked;
    },
    unheard: <Result>(work: () => Result): Result => {
      watch.end();
      try {
        return work();
      } finally {
        watch.begin();
      }
    },
    end: (): Promise<void> => watch.outlast(),
  };
}
