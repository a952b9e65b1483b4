/** What a session has learnt so far, for who waits. Always: all of it is said again when the session ends, or does not count any more. */
import type { EarlyFinding } from "../../crash/finding/index.ts";

export type News =
  /** The program has run; `events` reached persistent memory. */
  | { readonly kind: "traced"; readonly events: number }
  /** An engine begins. */
  | { readonly kind: "judging"; readonly engine: string }
  | { readonly kind: "finding"; readonly finding: EarlyFinding };

/** Tells each mistake once, whichever engine comes by it first. */
export class NewsDesk {
  readonly #tell: (news: News) => void;
  readonly #told = new Set<string>();

  constructor(tell: (news: News) => void) {
    this.#tell = tell;
  }

  tell(news: News): void {
    this.#tell(news);
  }

  finding(finding: EarlyFinding): void {
    if (finding.mistakes.some((mistake) => this.#told.has(mistake))) return;
    for (const mistake of finding.mistakes) this.#told.add(mistake);
    this.#tell({ kind: "finding", finding });
  }
}
