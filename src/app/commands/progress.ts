/** How far a check is: redrawn on a terminal, nothing elsewhere or when it is soon over. */
import { isatty } from "node:tty";
import { monotonicSeconds, writeAll } from "../../host/index.ts";
import type { Done } from "../../session/work/index.ts";
import { usualColumns } from "./terminal.ts";

const quietSeconds = 1;
const redrawSeconds = 0.2;

const shortTime = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
};

/**
 * "1200 of 4000 crash states (30%), 80 tested and 320 skipped a second, 2 findings so far, 7 s left". What a narrow terminal
 * has no room for goes, the least wanted first: a line that wraps is not erased.
 */
export function progressText(done: Done, seconds: number, columns: number): string {
  const { items, itemsInAll, tested, skipped, findings } = done;
  const rate = (count: number) => Math.round(count / seconds);
  const judged = tested + skipped;
  const counted = `blackout: ${items} of ${itemsInAll} crash states (${Math.floor((100 * items) / itemsInAll)}%)`;
  const rates = `${rate(tested)} tested and ${rate(skipped)} skipped a second`;
  const found = `${findings} finding${findings === 1 ? "" : "s"} so far`;
  const left = judged === 0 ? [] : [`${shortTime(((itemsInAll - items) * seconds) / judged)} left`];
  const texts = [[counted, rates, found, ...left], [counted, found, ...left], [counted, ...left], [counted]];
  const fits = texts.map((parts) => parts.join(", ")).find(({ length }) => length < columns);
  return fits ?? counted.slice(0, columns - 1);
}

const eraseLine = "\r\u001b[K";

export class Progress {
  readonly #began = monotonicSeconds();
  readonly #onTerminal = isatty(2);
  #shown = this.#began;
  #drawn = false;

  update(done: Done): void {
    if (!this.#onTerminal) return;
    const now = monotonicSeconds();
    if (now - this.#shown < (this.#drawn ? redrawSeconds : quietSeconds)) return;
    this.#shown = now;
    this.#draw(progressText(done, now - this.#began, process.stderr.columns ?? usualColumns));
  }

  /** Nothing of it stays on a terminal. */
  end(): void {
    if (this.#drawn) this.#draw("");
    this.#drawn = false;
  }

  #draw(text: string): void {
    this.#drawn = true;
    writeAll(2, new TextEncoder().encode(`${eraseLine}${text}`));
  }
}
