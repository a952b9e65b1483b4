/**
 * The atomic operation oracle of Agamotto (seed 002, section 2.4.2.2): a structure that the developer names is only ever
 * updated inside a transaction that has added it. Which memory holds the structure is learnt from the transactions: a range
 * of the structure's size that is added to one. Stores of libraries are theirs to answer for.
 *
 *   STRUCTURE=account blackout trace --rule examples/rules/atomic-update.ts -- ./bank
 */
import type { CustomRule, RuleContext, RuleRun, TraceEvent } from "../../src/index.ts";

const structure = process.env.STRUCTURE ?? "account";

interface Range {
  readonly start: number;
  readonly end: number;
}

const holds = ({ start, end }: Range, address: number): boolean => start <= address && address < end;

class AtomicUpdates implements RuleRun {
  readonly #context: RuleContext;
  /** What each running transaction has added. */
  readonly #added = new Map<number, Range[]>();
  /** Where structures of the type are known to lie. */
  readonly #structures = new Map<number, Range>();

  constructor(context: RuleContext) {
    this.#context = context;
  }

  event(event: TraceEvent): void {
    if (event.kind === "store" || event.kind === "non-temporal") this.#store(event);
    if (event.kind !== "request") return;
    if (event.request === "tx-start") this.#added.set(event.transaction, this.#added.get(event.transaction) ?? []);
    if (event.request === "tx-end") this.#added.delete(event.transaction);
    if (event.request === "tx-add") this.#add(event.transaction, { start: event.start, end: event.start + event.length });
  }

  #add(transaction: number, range: Range): void {
    const running = this.#added.get(transaction);
    if (running === undefined) return;
    running.push(range);
    if (range.end - range.start === this.#size()) this.#structures.set(range.start, range);
  }

  #size(): number | undefined {
    const { types } = this.#context;
    return types?.sizeOf(types.find(structure));
  }

  #store(event: TraceEvent & { readonly kind: "store" | "non-temporal" }): void {
    const found = [...this.#structures.values()].find((range) => holds(range, event.address));
    if (found === undefined) return;
    for (const ranges of this.#added.values()) if (ranges.some((range) => holds(range, event.address))) return;
    const { types } = this.#context;
    if (/\.so[.\d]*$/.test(this.#context.frames(event)[0]?.module ?? "")) return;
    const type = types?.find(structure);
    const member = type === undefined ? undefined : types?.memberAt(type, event.address - found.start);
    this.#context.report({
      says: `${structure}${member === undefined ? "" : `.${member}`} is stored to outside a transaction that has added it`,
      cause: this.#context.mark(event),
    });
  }
}

export const rule: CustomRule = {
  id: "atomic-update",
  severity: "error",
  title: `${structure} changed outside a transaction`,
  sentence: "A structure that is to change in transactions only is stored to outside one that has added it.",
  advice: "Make the change inside a transaction, after adding the structure to it.",
  start: (context) => new AtomicUpdates(context),
};
