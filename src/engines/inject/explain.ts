/** From failures to findings: places by name, where recovery ended, what was lost, and how to see it again. */
import { assert } from "../../base/index.ts";
import { cutsOf, lastWords, layoutOf, storedValue, TraceCursor } from "../../crash/index.ts";
import type { Finding, Mark, PlacedMark, RuleInfo, StoreFact } from "../../finding/index.ts";
import { EndPlaces } from "../../subject/index.ts";
import { type LeadScene, witnessOf } from "../../work/index.ts";
import type { LostStore } from "./judge.ts";
import { mistakeOf } from "./mistakes.ts";
import type { InjectSource } from "./plan.ts";
import { injectRules } from "./rules.ts";
import type { CrashFailure } from "./tally.ts";

const ruleOf = ({ ended, expected }: CrashFailure): RuleInfo =>
  expected === undefined ? injectRules[ended.verdict.kind] : injectRules.output;

/** Explains one failure after another; asked about crashes in increasing order, it walks the trace once. */
export class Explainer {
  readonly #scene: LeadScene;
  readonly #source: InjectSource;
  readonly #guestPath: (path: string) => string;
  readonly #cursor: TraceCursor;
  readonly #ends: EndPlaces;

  constructor(scene: LeadScene, source: InjectSource, guestPath: (path: string) => string) {
    this.#scene = scene;
    this.#source = source;
    this.#guestPath = guestPath;
    this.#cursor = new TraceCursor(source);
    this.#ends = new EndPlaces(scene.subject, scene.judging.hangLimit);
  }

  finding(failure: CrashFailure): Finding {
    const { point, stores, cuts, ended, expected, count } = failure;
    const cut = this.#placed({ seq: point.seq, thread: point.thread, site: point.site, stack: point.stack });
    const lost = stores.map((store) => this.#storeFact(store));
    const cause = lost[0] ?? cut;
    const end = expected === undefined ? this.#endOf(failure) : undefined;
    const rule = ruleOf(failure);
    const fingerprint = mistakeOf(failure, rule, cause.frames, end?.frames ?? []);
    const { verdict, stdout, stderr } = ended;
    return {
      rule,
      says: "",
      cause: cause.mark,
      frames: cause.frames,
      evidence: [],
      count,
      crash: {
        before: point.before,
        cut,
        lost,
        lostLines: cuts.length,
        verdict,
        stdout,
        stderr,
        ...(end && { ended: end }),
        ...(expected && { expected }),
        elsewhere: [],
        witness: witnessOf(this.#scene, {
          choices: [{ kind: "crash", before: point.seq }, ...cuts],
          expected: { verdict, said: lastWords(ended), ...(expected && { stdout }) },
          fingerprint,
        }),
      },
      fingerprint,
    };
  }

  #placed(mark: Mark): PlacedMark {
    return { mark, frames: this.#scene.places.resolver.frames(mark.site, mark.stack) };
  }

  #storeFact(store: LostStore): StoreFact {
    const { seq, thread, site, stack, address, size, path } = store;
    return { ...this.#placed({ seq, thread, site, stack, address, size, value: storedValue(store) }), path };
  }

  /** Where recovery ends on the crash state that shows it. */
  #endOf({ point, cuts, ended }: CrashFailure): PlacedMark | undefined {
    const moment = this.#cursor.before(point.seq);
    const lost = cutsOf(moment, cuts);
    assert(lost !== undefined, "a failure's cuts are possible where it was found");
    return this.#ends.of(layoutOf(this.#source, point.seq, moment, lost, this.#guestPath), ended);
  }
}
