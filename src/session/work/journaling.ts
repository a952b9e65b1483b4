/**
 * Keeping a journal and taking one up, as the options ask. A check that is over within a second keeps none, unless its
 * folder was named.
 */
import { InputError } from "../../base/index.ts";
import { monotonicSeconds } from "../../host/index.ts";
import { demandSame, type Entry, type Identity, Journal, type Recorded, readJournal } from "./journal.ts";

/** The folder of a journal that nobody named. */
export const defaultJournal = ".blackout";

/** The folder for a part of a check: beside its own, so that nothing is left when all are done. */
export const journalOfPart = (folder: string | false, part: number): string | false =>
  folder === false ? false : `${folder}-${part}`;

const isUnnamed = (folder: string | false): boolean =>
  folder !== false && (folder === defaultJournal || folder.startsWith(`${defaultJournal}-`));

export interface JournalOptions {
  /** Its folder; false for none. */
  readonly journal: string | false;
  readonly resume?: boolean;
}

/** What is known of a session only when its program has run. */
export type RunIdentity = Pick<Identity, "files" | "run">;

const quietSeconds = 1;

export class Journaling {
  #folder: string | false;
  readonly #identity: Omit<Identity, keyof RunIdentity>;
  readonly #recorded: Recorded | undefined;
  #run: (() => RunIdentity) | undefined;
  #journal: Journal | undefined;
  /** One that could not be written any more: what is in it holds. */
  #cutShort: Journal | undefined;
  /** Judged before the journal was begun. */
  #waiting: Entry[] = [];
  readonly #began = monotonicSeconds();
  readonly #notice: (line: string) => void;

  /** Refuses at once to take up the journal of another check. */
  constructor(
    { journal, resume = false }: JournalOptions,
    identity: Omit<Identity, keyof RunIdentity>,
    notice: (line: string) => void,
  ) {
    this.#notice = notice;
    this.#folder = journal;
    this.#identity = identity;
    if (!resume || journal === false) return;
    this.#recorded = readJournal(journal);
    if (this.#recorded === undefined) notice(`there is no journal in ${journal}: this starts anew`);
    else demandSame(journal, this.#recorded.identity, identity);
  }

  /** The program has run; `run` tells its run from others. */
  begin(run: () => RunIdentity): void {
    this.#run = run;
    if (this.#folder === false || this.#recorded === undefined) return;
    demandSame(this.#folder, this.#recorded.identity, run());
    this.#journal = Journal.resume(this.#folder, this.#recorded);
  }

  /** What an engine judged before. Results that it cannot take are not those of this check, whatever the journal says. */
  takeUp(engine: string, take: (entry: Entry) => void): void {
    const entries = this.#recorded?.entries ?? [];
    try {
      for (const entry of entries) if (entry.engine === engine) take(entry);
    } catch {
      const what = `The journal in ${this.#folder} cannot be taken up again: it has results that no check writes.`;
      throw new InputError("check/resume", `${what} Run without --resume to start anew.`, { folder: this.#folder });
    }
  }

  /** Where no journal is kept, nothing waits for one: what units told can be hundreds of megabytes. */
  add(entry: Entry): void {
    if (this.#folder === false) return;
    this.#waiting.push(entry);
    const soon = isUnnamed(this.#folder) && monotonicSeconds() - this.#began < quietSeconds;
    if (this.#journal === undefined && !soon) this.#journal = this.#create();
    const journal = this.#journal;
    if (journal !== undefined)
      this.#orWithout(() => {
        for (const each of this.#waiting.splice(0)) journal.add(each);
      });
  }

  /** A check that is done leaves no journal, unless it is a part of one that is not. */
  end(how: "done" | "stopped" | "part"): void {
    const journal = this.#journal ?? this.#cutShort;
    if (journal === undefined) return;
    if (how === "done") return journal.remove();
    journal.close();
    if (how === "stopped") this.#notice("the same command with --resume goes on from here");
  }

  /** A disk that is full by now does not end the check; what is judged from here on cannot be taken up. */
  #orWithout(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#notice(`${error.message} This check goes on without one.`);
      this.#cutShort = this.#journal;
      this.#journal = undefined;
      this.#goOnWithout();
    }
  }

  #create(): Journal | undefined {
    if (this.#folder === false) return undefined;
    try {
      return Journal.create(this.#folder, { ...this.#identity, ...this.#run!() });
    } catch (error) {
      if (!(error instanceof InputError) || !isUnnamed(this.#folder)) throw error;
      this.#notice(error.message);
      this.#goOnWithout();
      return undefined;
    }
  }

  #goOnWithout(): void {
    this.#folder = false;
    this.#waiting = [];
  }
}
