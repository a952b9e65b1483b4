/** Whether stores that persist in their order could have left some words: of each line, every cut at which they look the same. */
import { type TracePoints, wordsPerLine } from "../../crash/recovery-tree/index.ts";
import { Choices } from "./choices.ts";
import type { LineStores } from "./line-stores.ts";

/** Words of a line as one of its contents has them; bit i is the i-th word. */
export interface WordsHeld {
  readonly line: number;
  readonly words: number;
  readonly content: number;
}

/** An event that recovery knows of otherwise than by what was stored: it was printed, or changed a file. */
export interface SeenEvent {
  readonly seq: number;
  readonly thread: number;
}

export class StrictTwins {
  readonly #points: TracePoints;
  readonly #stores: LineStores;

  constructor(points: TracePoints, stores: LineStores) {
    this.#points = points;
    this.#stores = stores;
  }

  /** `high`: by line, its content with every store by then. `seen`: the crash comes after it. */
  has(held: Iterable<WordsHeld>, high: Int32Array, seen?: SeenEvent): boolean {
    const choices = new Choices(this.#stores.threads);
    if (seen !== undefined) choices.add({ line: -1, cuts: [this.#stores.afterEvent(seen.thread, seen.seq)] });
    for (const each of held) {
      const view = this.#stores.view(each.line, each.words);
      const cuts = new Set(this.#alike(each, high[each.line]!).map((content) => view.bounds(content)));
      if (!choices.add({ line: each.line, cuts: [...cuts] })) return false;
    }
    return true;
  }

  #alike({ line, words: asked, content: as }: WordsHeld, last: number): readonly number[] {
    const words = this.#points.contents;
    const isAlike = (content: number) => {
      for (let word = 0; word < wordsPerLine; word++)
        if ((asked >>> word) & 1 && words.word(content, word) !== words.word(as, word)) return false;
      return true;
    };
    const found: number[] = [];
    for (let content = this.#points.base(line); content <= last; content++) if (isAlike(content)) found.push(content);
    return found;
  }
}
