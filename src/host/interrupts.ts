/** Ctrl-C, and being told to end: the first signal asks for an end, the second is one. */
import { turnOfOthers } from "./threads.ts";

const interrupted = 130;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Calls `first` at the first signal; the function returned gives up the watch. */
export function watchInterrupts(first: () => void): () => void {
  let asked = false;
  const onInterrupt = () => {
    if (asked) process.exit(interrupted);
    asked = true;
    first();
  };
  for (const signal of signals) process.on(signal, onInterrupt);
  return () => {
    for (const signal of signals) process.off(signal, onInterrupt);
  };
}

/** For work that is done in turns in this thread. */
export function hearInterrupts() {
  let asked = false;
  const watch = () =>
    watchInterrupts(() => {
      asked = true;
    });
  let unwatch = watch();
  return {
    heard: async (): Promise<boolean> => {
      await turnOfOthers();
      return asked;
    },
    unheard: <Result>(work: () => Result): Result => {
      unwatch();
      try {
        return work();
      } finally {
        unwatch = watch();
      }
    },
    end: (): void => unwatch(),
  };
}
