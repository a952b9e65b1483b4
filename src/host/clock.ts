/** Real time and memory, for measuring only: nothing a guest sees depends on them. */

/** Seconds of CPU time this process has used, user and system. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Seconds on a clock that only moves forwards. */
export const monotonicSeconds = (): number => Number(process.hrtime.bigint()) / 1e9;

/** The most memory this process has held, in bytes. */
export const peakMemoryBytes = (): number => process.resourceUsage().maxRSS * 1024;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Waits without a turn of the event loop. */
export const pause = (milliseconds: number): void => void Atomics.wait(sleeper, 0, 0, milliseconds);
