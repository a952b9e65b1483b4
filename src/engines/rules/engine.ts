/** The rules as a sink: events in, drafts out. One pass, linear in events; memory follows the live lines. */
import { type Draft, FindingTally } from "../../crash/finding/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import type { EventSink, TraceTables } from "../../trace/events/index.ts";
import { ruleCatalogue } from "./catalogue.ts";
import type { FrameLookup } from "./fresh-memory.ts";
import type { PmMode, Rule } from "./rule.ts";
import { connectRules } from "./signals.ts";
import { Tracker } from "./tracker.ts";

export interface RulesOptions {
  readonly platform: Platform;
  readonly mode: PmMode;
  /** Rules to leave out, by id. */
  readonly disabled: ReadonlySet<string>;
}

export const defaultRulesOptions: RulesOptions = { platform: "px86", mode: "dax", disabled: new Set() };

/** The rules that apply where a program is to run. What caches survive is nothing to the pages of an ordinary file. */
export const rulesFor = ({ platform, mode, disabled }: RulesOptions): readonly Rule[] =>
  ruleCatalogue
    .filter(({ platforms }) => mode === "msync" || platforms.includes(platform))
    .filter(({ id, modes }) => modes.includes(mode) && !disabled.has(id))
    .map((rule) => (mode === "msync" ? { ...rule, ...rule.ofFiles } : rule));

export class RulesEngine implements EventSink {
  readonly #tally = new FindingTally();
  readonly #tracker: Tracker;

  constructor(tables: TraceTables, options: RulesOptions = defaultRulesOptions, frames: FrameLookup = () => []) {
    this.#tracker = new Tracker(tables, connectRules(rulesFor(options), this.#tally), options.mode, frames);
  }

  events(words: Uint32Array, first: number): void {
    this.#tracker.events(words, first);
  }

  end(): void {
    this.#tracker.end();
  }

  /** Lines with something not yet persisted. */
  get liveLines(): number {
    return this.#tracker.lines.live;
  }

  /** Whether the program said anything through client requests. */
  get sawRequests(): boolean {
    return this.#tracker.notes.sawRequests;
  }

  drafts(): readonly Draft[] {
    this.#tracker.settle();
    return this.#tally.drafts();
  }
}
