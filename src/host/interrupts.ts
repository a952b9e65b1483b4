/** Ctrl-C: the first asks for an end, the second is one. */

const interrupted = 130;

/** Calls `first` at the first interrupt; the function returned gives up the watch. */
export function watchInterrupts(first: () => void): () => void {
  let asked = false;
  const onInterrupt = () => {
    if (asked) process.exit(interrupted);
    asked = true;
    first();
  };
  process.on("SIGINT", onInterrupt);
  return () => {
    process.off("SIGINT", onInterrupt);
  };
}
