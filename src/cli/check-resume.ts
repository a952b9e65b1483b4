/**
 * Keeping a journal and taking one up, as the options ask. A check that is over within a second keeps none, unless its
 * folder was named.
 */
import { InputError } from "../base/index.ts";
import type { Judged } from "../engines/index.ts";
import { monotonicSeconds, stderrLine } from "../host/index.ts";
import { demandSame, type Identity, Journal, type Recorded, readJournal } from "./check-journal.ts";
import { type CheckOptions, defaultJournal } from "./check-options.ts";

const quietSeconds = 1;

export class Journaling {
  #folder: string | false;
  readonly #identity: Omit<Identity, "run">;
  readonly #recorded: Recorded | undefined;
  #run: (() => string) | undefined;
  #journal: Journal | undefined;
  /** Judged before the journal was begun. */
  #waiting: Judged[] = [];
  readonly #began = monotonicSeconds();

  /** Refuses at once to take up the journal of another check. */
  constructor({ journal, resume = false }: CheckOptions, identity: Omit<Identity, "run">) {
    this.#folder = journal;
    this.#identity = identity;
    if (!resume || journal === false) return;
    this.#recorded = readJournal(journal);
    if (this.#recorded === undefined) stderrLine(`blackout: there is no journal in ${journal}: this starts anew`);
    else demandSame(journal, this.#recorded.identity, identity);
  }

  /** The program has run; `run` tells its run from others. */
  begin(run: () => string): void {
    this.#run = run;
    if (this.#folder === false || this.#recorded === undefined) return;
    demandSame(this.#folder, this.#recorded.identity, { run: run() });
    this.#journal = Journal.resume(this.#folder, this.#recorded);
  }

  /** What was judged before. */
  get recorded(): readonly Judged[] {
    return this.#recorded?.judged ?? [];
  }

  add(judged: Judged): void {
    this.#waiting.push(judged);
    const soon = this.#folder === defaultJournal && monotonicSeconds() - this.#began < quietSeconds;
    if (this.#journal === undefined && !soon) this.#journal = this.#create();
    if (this.#journal === undefined) return;
    for (const each of this.#waiting) this.#journal.add(each);
    this.#waiting = [];
  }

  /** A check that is done leaves no journal. */
  end(done: boolean): void {
    if (this.#journal === undefined) return;
    if (done) return this.#journal.remove();
    this.#journal.close();
    stderrLine("blackout: the same command with --resume goes on from here");
  }

  #create(): Journal | undefined {
    if (this.#folder === false) return undefined;
    try {
      return Journal.create(this.#folder, { ...this.#identity, run: this.#run!() });
    } catch (error) {
      if (!(error instanceof InputError) || this.#folder !== defaultJournal) throw error;
      stderrLine(`blackout: ${error.message}`);
      this.#folder = false;
      return undefined;
    }
  }
}
