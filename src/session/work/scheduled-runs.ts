/** A subject's runs by schedules of chance, each that leaves other events than all before it, or whose threads read others of them. */
import { describeOutcome, type Places, type Subject, type TracedRun } from "../subject/index.ts";
import { digestOfEvents } from "./identity.ts";
import { WatchedRun } from "./watched-run.ts";

export interface ScheduledRun {
  readonly seed: number;
  readonly run: TracedRun;
  readonly places: Places;
}

function digestOfRun({ trace, threadOrder }: TracedRun): string {
  const views = [...(threadOrder?.views ?? [])].map(([thread, all]) => [
    thread,
    all.map(({ from, seen }) => [from, ...seen]),
  ]);
  return `${digestOfEvents(trace)} ${JSON.stringify(views)}`;
}

export class ScheduledRuns {
  readonly #subject: Subject;
  readonly #seen: Set<string>;
  readonly #isLikeFirst: (run: TracedRun) => boolean;
  readonly #notice: (line: string) => void;
  /** Schedules that were run, and runs that were like no other. */
  taken = 0;
  different = 0;

  constructor(subject: Subject, first: TracedRun, notice: (line: string) => void) {
    this.#subject = subject;
    this.#seen = new Set([digestOfRun(first)]);
    this.#isLikeFirst = ({ outcome }) => describeOutcome(outcome) === describeOutcome(first.outcome);
    this.#notice = notice;
  }

  /** Undefined when a run before it left the same events, in the same order as far as it was asked for. */
  take(seed: number): ScheduledRun | undefined {
    const watched = new WatchedRun((tables) => this.#subject.places(tables), []);
    const run = this.#subject.trace(watched.sinks, { seed });
    this.taken++;
    const digest = digestOfRun(run);
    if (this.#seen.has(digest)) return undefined;
    this.#seen.add(digest);
    this.different++;
    if (!this.#isLikeFirst(run))
      this.#notice(`by schedule ${seed} the program itself ${describeOutcome(run.outcome)}, before any power cut`);
    return { seed, run, places: watched.places };
  }
}
