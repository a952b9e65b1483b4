/** One analysis of one trace: the sinks that see its events, and what they found when it has ended. */
import { type CustomRule, CustomRules, type FailedRule, RulesEngine, type TypeLookup } from "../engines/index.ts";
import { type Finding, resolveDrafts } from "../finding/index.ts";
import type { ModuleMap, Resolver } from "../symbols/index.ts";
import {
  BtraceWriter,
  type ByteTarget,
  PmemcheckLog,
  recordWords,
  type SinkFactory,
  type TraceInfo,
  type TraceTables,
} from "../trace/index.ts";
import { createBytes, printText } from "./files.ts";
import { placesOf } from "./places.ts";
import type { TraceOptions } from "./trace-options.ts";

export class TraceRun {
  readonly #options: TraceOptions;
  readonly #rules: readonly CustomRule[];
  readonly #out: (ByteTarget & { close(): void }) | undefined;
  #engine: RulesEngine | undefined;
  #custom: CustomRules | undefined;
  #resolver: Resolver | undefined;
  /** Events so far. */
  seen = 0;
  /** Told to a recorded trace at its end. */
  info: TraceInfo = {};

  constructor(options: TraceOptions, rules: readonly CustomRule[]) {
    this.#options = options;
    this.#rules = rules;
    this.#out = options.out === undefined ? undefined : createBytes(options.out);
  }

  /** In the order in which they see events: modules first, since the others ask about places. */
  sinks(): readonly SinkFactory[] {
    const { log, platform, pmMode: mode, disable } = this.#options;
    const count: SinkFactory = () => ({
      events: (words) => {
        this.seen += words.length / recordWords;
      },
      end: () => undefined,
    });
    const sinks: SinkFactory[] = [
      count,
      (tables) => this.#resolve(tables),
      (tables) => {
        this.#engine = new RulesEngine(tables, { platform, mode, disabled: new Set(disable) });
        return this.#engine;
      },
    ];
    if (this.#rules.length > 0) sinks.push((tables) => this.#startCustom(tables));
    const out = this.#out;
    if (out !== undefined) sinks.push((tables) => new BtraceWriter(tables, out, () => this.info));
    if (log === "pmemcheck") sinks.push((tables) => this.#log(tables));
    return sinks;
  }

  #resolve(tables: TraceTables): ModuleMap {
    const { modules, resolver } = placesOf(tables, this.#options.root);
    this.#resolver = resolver;
    return modules;
  }

  #startCustom(tables: TraceTables): CustomRules {
    const resolver = this.#resolver!;
    let types: TypeLookup | undefined;
    this.#custom = new CustomRules(tables, this.#rules, {
      frames: ({ site, stack }) => resolver.frames(site, stack),
      /** Read when first asked for: the program is mapped by then. */
      get types() {
        types ??= resolver.types() as TypeLookup | undefined;
        return types;
      },
    });
    return this.#custom;
  }

  #log(tables: TraceTables): PmemcheckLog {
    return new PmemcheckLog(tables, { write: printText, frames: this.#resolver!.frames });
  }

  /** The trace has ended. */
  findings(): Finding[] {
    const drafts = [...(this.#engine?.drafts() ?? []), ...(this.#custom?.drafts() ?? [])];
    return resolveDrafts(drafts, this.#resolver!.frames);
  }

  /** Whether the program told of itself through client requests. */
  get annotated(): boolean {
    return this.#engine?.sawRequests ?? false;
  }

  get failures(): readonly FailedRule[] {
    return this.#custom?.failures ?? [];
  }

  close(): void {
    this.#out?.close();
  }
}
