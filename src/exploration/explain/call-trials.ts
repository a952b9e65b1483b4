/** Whether recovery fails for a store as it did for another: at crashes that lose it, or with every store up to it kept. */

import type { CrashFacts } from "../../crash/finding/index.ts";
import { type CrashSource, type CutLine, type Moment, TraceCursor } from "../../crash/states/index.ts";
import { eventsBetween } from "../../trace/events/index.ts";
import { type Blame, pointAt } from "./blame.ts";

/** Moments after each store at which it is tried: with what the program had done by then, recovery may need it. */
const mostMoments = 16;

export class CallTrials {
  readonly #source: CrashSource;
  readonly #blame: Blame;
  readonly #cursor: TraceCursor;

  constructor(source: CrashSource, blame: Blame) {
    this.#source = source;
    this.#blame = blame;
    this.#cursor = new TraceCursor(source);
  }

  /** Whether recovery fails for one of the stores, by their events, as it does in a crash. */
  failsToo({ turning }: Pick<CrashFacts, "turning">, stores: readonly number[]): boolean {
    const inOrder = [...stores].sort((a, b) => a - b);
    return inOrder.some((seq) => (turning === undefined ? this.#failsWithout(seq) : this.#blame.failsAt(seq + 1)));
  }

  /** Whether recovery succeeds at that moment with every store kept, and fails without this one, which is not persisted by then. */
  failsOnlyWithout(seq: number, position: number): boolean {
    if (this.#blame.failsAt(position)) return false;
    const moment = this.#cursor.before(position);
    const lost = losing(seq, moment);
    return lost !== undefined && this.#blame.failsWith(pointAt(position), moment, [lost]);
  }

  #failsWithout(seq: number): boolean {
    for (const position of this.#momentsAfter(seq)) {
      const moment = this.#cursor.before(position);
      const lost = losing(seq, moment);
      // It is persisted.
      if (lost === undefined) return false;
      if (this.#blame.failsWith(pointAt(position), moment, [lost])) return true;
    }
    return false;
  }

  /** Before each event that is no store: what comes in between is lost or kept with the line. */
  *#momentsAfter(seq: number): Iterable<number> {
    const { trace } = this.#source;
    let moments = 0;
    for (const event of eventsBetween(trace, seq + 1, trace.count)) {
      if (event.kind === "store" || event.kind === "non-temporal") continue;
      if (++moments > mostMoments) return;
      yield event.seq;
    }
    yield trace.count;
  }
}

/** Its line, cut before it; undefined where nothing can lose it. */
function losing(seq: number, { lines }: Moment): CutLine | undefined {
  const line = lines.open.find(({ pending }) => pending.some((store) => store.seq === seq));
  if (line === undefined) return undefined;
  let kept = line.pending.findIndex((store) => store.seq === seq);
  // All pieces of one store are lost.
  while (kept > 0 && line.pending[kept]!.further) kept--;
  return { line, cut: { kept, pieces: 0 } };
}
