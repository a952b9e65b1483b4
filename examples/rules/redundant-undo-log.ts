/**
 * The redundant undo log oracle of Agamotto (Listing 2.6): data is to be logged once per transaction. Libraries that log
 * overlapping ranges only once still pay for being asked, so this rule looks at what the program asks for.
 *
 *   blackout trace --rule examples/rules/redundant-undo-log.ts -- ./program
 */
import type { CustomRule, Mark, RuleContext, RuleRun, TraceEvent } from "../../src/index.ts";

interface Added {
  readonly start: number;
  readonly end: number;
  readonly mark: Mark;
}

class UndoLog implements RuleRun {
  readonly #context: RuleContext;
  /** Ranges in the log, by transaction. */
  readonly #added = new Map<number, Added[]>();
  readonly #depth = new Map<number, number>();

  constructor(context: RuleContext) {
    this.#context = context;
  }

  event(event: TraceEvent): void {
    if (event.kind !== "request") return;
    const { transaction, start, length } = event;
    const depth = this.#depth.get(transaction) ?? 0;
    if (event.request === "tx-start") this.#depth.set(transaction, depth + 1);
    if (event.request === "tx-end") {
      this.#depth.set(transaction, Math.max(0, depth - 1));
      if (depth <= 1) this.#added.delete(transaction);
    }
    if (event.request === "tx-add" && depth > 0) this.#add(transaction, { start, end: start + length, mark: this.#context.mark(event) });
  }

  #add(transaction: number, range: Added): void {
    const added = this.#added.get(transaction) ?? [];
    const earlier = added.find(({ start, end }) => start < range.end && range.start < end);
    if (earlier !== undefined)
      this.#context.report({
        says: `${range.end - range.start} bytes at 0x${range.start.toString(16)} are in the undo log already`,
        cause: range.mark,
        evidence: [{ says: "logged before here", mark: earlier.mark }],
      });
    this.#added.set(transaction, [...added, range]);
  }
}

export const rule: CustomRule = {
  id: "redundant-undo-log",
  severity: "performance",
  title: "data logged twice in one transaction",
  sentence: "A transaction adds a range to its undo log of which some is there already; the second copy costs time and space.",
  advice: "Add each range once per transaction.",
  start: (context) => new UndoLog(context),
};
