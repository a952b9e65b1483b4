/** How far a check is: redrawn on a terminal, nothing elsewhere or when it is soon over. */
import { isatty } from "node:tty";
import { monotonicSeconds, writeAll } from "../../host/index.ts";
import type { Done, News } from "../../session/work/index.ts";
import { newsText } from "./early-news.ts";
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
 * has no room for goes, the least wanted first: a line that wraps is not erased. `recently`: items judged a second of late. The first states of a
 * run all take a recovery, and most of the others are answered for by these: what is left goes as fast as the fastest of both.
 */
export function progressText(done: Done, seconds: number, columns: number, recently = 0): string {
  const { items, itemsInAll, tested, skipped, findings } = done;
  const rate = (count: number) => Math.round(count / seconds);
  const judged = tested + skipped;
  const counted = `blackout: ${items} of ${itemsInAll} crash states (${Math.floor((100 * items) / itemsInAll)}%)`;
  const rates = `${rate(tested)} tested and ${rate(skipped)} skipped a second`;
  const found = `${findings} finding${findings === 1 ? "" : "s"} so far`;
  const aSecond = Math.max(judged / seconds, recently);
  const left = aSecond === 0 ? [] : [`${shortTime((itemsInAll - items) / aSecond)} left`];
  const texts = [[counted, rates, found, ...left], [counted, found, ...left], [counted, ...left], [counted]];
  const fits = texts.map((parts) => parts.join(", ")).find(({ length }) => length < columns);
  return fits ?? counted.slice(0, columns - 1);
}

const paceSeconds = 10;

/** Items judged a second, over the last ten seconds of one engine. */
class Pace {
  #marks: { readonly time: number; readonly items: number }[] = [];
  #engine = "";

  at(time: number, { engine, items }: Done): number {
    if (engine !== this.#engine) this.#marks = [];
    this.#engine = engine;
    this.#marks.push({ time, items });
    while (this.#marks.length > 2 && time - this.#marks[1]!.time >= paceSeconds) this.#marks.shift();
    const first = this.#marks[0]!;
    return time > first.time ? (items - first.items) / (time - first.time) : 0;
  }
}

const eraseLine = "\r\u001b[K";

export class Progress {
  readonly #began = monotonicSeconds();
  readonly #onTerminal = isatty(2);
  #shown = this.#began;
  #drawn = false;
  readonly #pace = new Pace();

  update(done: Done): void {
    if (!this.#onTerminal) return;
    const now = monotonicSeconds();
    if (now - this.#shown < (this.#drawn ? redrawSeconds : quietSeconds)) return;
    this.#shown = now;
    const recently = this.#pace.at(now, done);
    this.#draw(progressText(done, now - this.#began, process.stderr.columns ?? usualColumns, recently));
  }

  /** Stays on the terminal, above how far it is. */
  tell(news: News): void {
    const text = newsText(news);
    if (!this.#onTerminal || text === undefined) return;
    this.#draw(`blackout: ${text}\n`);
    this.#drawn = false;
  }

  /** Nothing of how far it is stays on a terminal. */
  end(): void {
    if (this.#drawn) this.#draw("");
    this.#drawn = false;
  }

  #draw(text: string): void {
    this.#drawn = true;
    writeAll(2, new TextEncoder().encode(`${eraseLine}${text}`));
  }
}
