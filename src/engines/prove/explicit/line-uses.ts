/** Which threads store to a line and which have anything to do with it: what is assumed, and what is met while that is assumed. */
import type { Line, ThreadId } from "../../../base/index.ts";

type Use = "store" | "touch";

export class LineUses {
  readonly #assumed: ReadonlySet<string>;
  readonly #met = new Set<string>();
  readonly #threads: number;

  constructor(threads: number, assumed: ReadonlySet<string> = new Set()) {
    this.#threads = threads;
    this.#assumed = assumed;
  }

  /** Something was met that was not assumed. */
  get hasLearnt(): boolean {
    return this.#met.size > 0;
  }

  /** The same, with all that was met assumed. */
  learnt(): LineUses {
    return new LineUses(this.#threads, new Set([...this.#assumed, ...this.#met]));
  }

  note(thread: ThreadId, line: Line, use: Use): void {
    this.#note(`touch ${thread} ${line}`);
    if (use === "store") this.#note(`store ${thread} ${line}`);
  }

  othersStore(thread: ThreadId, line: Line): boolean {
    return this.#others(thread, (other) => `store ${other} ${line}`);
  }

  othersTouch(thread: ThreadId, line: Line): boolean {
    return this.#others(thread, (other) => `touch ${other} ${line}`);
  }

  #note(use: string): void {
    if (!this.#assumed.has(use)) this.#met.add(use);
  }

  #others(thread: ThreadId, useOf: (other: number) => string): boolean {
    for (let other = 0; other < this.#threads; other++)
      if (other !== thread && this.#assumed.has(useOf(other))) return true;
    return false;
  }
}
