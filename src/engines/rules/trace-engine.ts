/** The rules over a trace, and rules of the user's own, as an engine. */
import { InputError } from "../../base/index.ts";
import type { Places } from "../../session/subject/index.ts";
import type { TraceEngine, TraceWatch } from "../../session/work/index.ts";
import type { SinkFactory } from "../../trace/events/index.ts";
import { ruleCatalogue } from "./catalogue.ts";
import { type CustomRule, CustomRules, type TypeLookup } from "./custom.ts";
import { defaultRulesOptions, RulesEngine, type RulesOptions } from "./engine.ts";
import type { FrameLookup } from "./fresh-memory.ts";

export interface RulesTraceOptions extends Partial<RulesOptions> {
  readonly custom?: readonly CustomRule[];
  /** Whether the rules judge a run in which the program is answered as by Valgrind. */
  readonly wantsAnnotations: boolean;
}

/** The first failure of a rule of the user's own, as what the user can do about it. */
function complaintOf(custom: CustomRules | undefined): InputError | undefined {
  const failure = custom?.failures[0];
  if (failure === undefined) return undefined;
  const { id, seq, message } = failure;
  const when = seq < 0 ? "at the end of the trace" : `at event ${seq}`;
  return new InputError("rules/threw", `The rule ${id} threw ${when}: ${message}. The other findings are complete.`, {
    id,
  });
}

class RulesWatch implements TraceWatch {
  readonly sinks: readonly SinkFactory[];
  #rules: RulesEngine | undefined;
  #custom: CustomRules | undefined;

  constructor(options: RulesOptions, custom: readonly CustomRule[], places: () => Places) {
    const frames: FrameLookup = (site, stack) => places().resolver.frames(site, stack);
    const rules: SinkFactory = (tables) => {
      this.#rules = new RulesEngine(tables, options, frames);
      return this.#rules;
    };
    const own: SinkFactory = (tables) => {
      let types: TypeLookup | undefined;
      this.#custom = new CustomRules(tables, custom, {
        frames: ({ site, stack }) => frames(site, stack),
        /** Read when first asked for: the program is mapped by then. */
        get types() {
          types ??= places().resolver.types() as TypeLookup | undefined;
          return types;
        },
      });
      return this.#custom;
    };
    this.sinks = custom.length > 0 ? [rules, own] : [rules];
  }

  drafts() {
    return [...(this.#rules?.drafts() ?? []), ...(this.#custom?.drafts() ?? [])];
  }

  get complaint(): InputError | undefined {
    return complaintOf(this.#custom);
  }
}

export const rulesEngine = ({ custom = [], wantsAnnotations, ...options }: RulesTraceOptions): TraceEngine => ({
  name: "rules",
  silence: "evidence",
  rules: [...ruleCatalogue, ...custom],
  wantsAnnotations,
  begin: (places) => new RulesWatch({ ...defaultRulesOptions, ...options }, custom, places),
});
