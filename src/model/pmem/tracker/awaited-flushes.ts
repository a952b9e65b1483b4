/**
 * A thread's flushes that wait for its fence, as they were made. Most fences follow a few, so that a list is quicker than a
 * table; a line that is flushed again and again without a fence is told once when the list has doubled.
 */
const fewFlushes = 1024;

export class AwaitedFlushes<Line> {
  #lines: Line[] = [];
  /** Of each: so many of the line's stores, counted from the first. */
  #covers: number[] = [];
  #mergeAt = fewFlushes;

  add(line: Line, covers: number): void {
    this.#lines.push(line);
    this.#covers.push(covers);
    if (this.#lines.length >= this.#mergeAt) this.#merge();
  }

  /** Each line once, by the first of its flushes, with what the last covers. */
  merged(): ReadonlyMap<Line, number> {
    return new Map(this.#lines.map((line, at) => [line, this.#covers[at]!]));
  }

  #merge(): void {
    const merged = this.merged();
    this.#lines = [...merged.keys()];
    this.#covers = [...merged.values()];
    this.#mergeAt = Math.max(fewFlushes, 2 * merged.size);
  }

  some(holds: (line: Line, covers: number) => boolean): boolean {
    for (let at = 0; at < this.#lines.length; at++) if (holds(this.#lines[at]!, this.#covers[at]!)) return true;
    return false;
  }

  /** The fence came. */
  drain(take: (line: Line, covers: number) => void): void {
    const lines = this.#lines;
    if (lines.length === 0) return;
    for (let at = 0; at < lines.length; at++) take(lines[at]!, this.#covers[at]!);
    lines.length = 0;
    this.#covers.length = 0;
  }
}
