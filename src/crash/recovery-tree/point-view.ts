/**
 * Stands at one failure point after another: what each line may hold there. Always: going to a point costs the lines that
 * changed on the way, in either direction.
 */
import { lineWords, type TracePoints } from "./trace-points.ts";

export class PointView {
  readonly #points: TracePoints;
  /** By line: the first and the last of the contents that it may have. */
  readonly low: Int32Array;
  readonly high: Int32Array;
  #at = -1;

  constructor(points: TracePoints) {
    this.#points = points;
    const { lines } = points.tables;
    this.low = Int32Array.from({ length: points.lines }, (_, line) => lines[line * lineWords + 2]!);
    this.high = this.low.slice();
  }

  get point(): number {
    return this.#at;
  }

  /** Calls `changed` for each line whose contents may be others than where this stood before, at least once. */
  moveTo(point: number, changed?: (line: number) => void): void {
    if (point > this.#at) this.#forwards(point, changed);
    else if (point < this.#at) this.#backwards(point, changed);
    this.#at = point;
  }

  #forwards(point: number, changed: ((line: number) => void) | undefined): void {
    const { changes } = this.#points.tables;
    const [from] = this.#points.changesAt(this.#at + 1);
    const [, to] = this.#points.changesAt(point);
    for (let at = from; at < to; at += 3) {
      const line = changes[at]!;
      this.low[line] = changes[at + 1]!;
      this.high[line] = changes[at + 2]!;
      changed?.(line);
    }
  }

  #backwards(point: number, changed: ((line: number) => void) | undefined): void {
    const { changes } = this.#points.tables;
    const [, from] = this.#points.changesAt(point);
    const [, to] = this.#points.changesAt(this.#at);
    for (let at = from; at < to; at += 3) {
      const line = changes[at]!;
      const [low, high] = this.#points.window(line, point);
      this.low[line] = low;
      this.high[line] = high;
      changed?.(line);
    }
  }
}
