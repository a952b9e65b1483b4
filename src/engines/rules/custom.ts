/**
 * A user's own rules: modules given by `--rule FILE`, which export `rule` (or `rules`). Always:
 * - They see every event as an object, in order, after the built-in rules; what they report counts like any finding.
 * - What they throw stops them alone: the run goes on, and the failure is told at the end.
 */
import { InputError } from "../../base/index.ts";
import { type Draft, FindingTally, type Mark, type RuleInfo, severities } from "../../crash/finding/index.ts";
import {
  decodeEvent,
  type EventSink,
  type Frame,
  type TraceEvent,
  type TraceTables,
} from "../../trace/events/index.ts";
import { recordWords } from "../../trace/record/index.ts";
import type { Words } from "./rule.ts";

/** Struct layouts of the program, by name; what src/program/elf's type reader offers. */
export interface TypeLookup {
  find(name: string): number | undefined;
  sizeOf(type: number | undefined): number | undefined;
  /** `head.entries[3].key`, or undefined for padding. */
  memberAt(type: number, offset: number): string | undefined;
}

/** What a rule may ask about the program. */
export interface RuleContext {
  /** The calls that led to an event, innermost first. */
  frames(event: { readonly site: number; readonly stack: number }): readonly Frame[];
  /** Types of the program itself, where it has debug information. */
  readonly types: TypeLookup | undefined;
  /** An event as a finding remembers it: for causes and evidence. */
  mark(event: TraceEvent): Mark;
  /** Counts one occurrence at the cause's site and calling context. */
  report(words: Words): void;
}

/** One run of a rule over one trace: its state lives in here. */
export interface RuleRun {
  event(event: TraceEvent): void;
  /** No event follows. */
  end?(): void;
}

export interface CustomRule extends RuleInfo {
  start(context: RuleContext): RuleRun;
}

function markOf(event: TraceEvent): Mark {
  const { seq, thread, site, stack } = event;
  const store = "value" in event ? { address: event.address, size: event.size, value: event.value } : {};
  const range = "start" in event ? { address: event.start, size: event.length } : {};
  return { seq, thread, site, stack, ...("address" in event && { address: event.address }), ...store, ...range };
}

const isRule = (value: unknown): value is CustomRule => {
  const rule = value as Partial<CustomRule> | null;
  return (
    typeof rule === "object" &&
    rule !== null &&
    [rule.id, rule.title, rule.sentence, rule.advice].every((text) => typeof text === "string" && text !== "") &&
    severities.some((severity) => severity === rule.severity) &&
    typeof rule.start === "function"
  );
};

/** The rules a module exports. */
export function rulesOfModule(file: string, module: Readonly<Record<string, unknown>>): readonly CustomRule[] {
  const found = Array.isArray(module.rules) ? module.rules : [module.rule ?? module.default];
  if (!found.every(isRule) || found.length === 0)
    throw new InputError(
      "rules/module",
      `${file} exports no rule: it must export \`rule\` with id, severity (${severities.join(", ")}), title, sentence, advice and start.`,
      { file },
    );
  return found;
}

export interface FailedRule {
  readonly id: string;
  readonly seq: number;
  readonly message: string;
}

interface Running {
  readonly rule: CustomRule;
  run: RuleRun | undefined;
  failed: boolean;
}

export class CustomRules implements EventSink {
  readonly failures: FailedRule[] = [];
  readonly #tally = new FindingTally();
  readonly #tables: TraceTables;
  readonly #running: Running[];

  constructor(tables: TraceTables, rules: readonly CustomRule[], context: Omit<RuleContext, "report" | "mark">) {
    this.#tables = tables;
    this.#running = rules.map((rule) => {
      const number = this.#tally.enter(rule);
      const report = ({ says, cause, evidence = [] }: Words): void => {
        if (typeof says !== "string" || typeof cause?.site !== "number")
          throw new TypeError("report takes { says: text, cause: context.mark(event) }");
        if (!this.#tally.again(number, cause.site, cause.stack))
          this.#tally.add(number, cause.site, cause.stack, { says, cause, evidence });
      };
      const running: Running = { rule, run: undefined, failed: false };
      running.run = this.#attempt(running, 0, () => {
        const run = rule.start(Object.assign(Object.create(context) as typeof context, { report, mark: markOf }));
        if (typeof run?.event !== "function")
          throw new TypeError("start must return an object with a function `event`");
        return run;
      });
      return running;
    });
  }

  events(words: Uint32Array, first: number): void {
    for (let index = 0; index < words.length / recordWords; index++) {
      const event = decodeEvent(words, index, first + index, this.#tables.texts);
      for (const running of this.#running)
        if (!running.failed) this.#attempt(running, event.seq, () => running.run?.event(event));
    }
  }

  end(): void {
    for (const running of this.#running) if (!running.failed) this.#attempt(running, -1, () => running.run?.end?.());
  }

  drafts(): readonly Draft[] {
    return this.#tally.drafts();
  }

  #attempt<T>(running: Running, seq: number, act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      running.failed = true;
      this.failures.push({ id: running.rule.id, seq, message: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }
}
