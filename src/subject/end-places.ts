/**
 * Where failing recoveries end: each runs once more, traced, in one machine that is made when the first one asks. Recoveries
 * that end in the same way with the same words have ended at the same place.
 */
import type { Layout, RecoveryEnd } from "../crash/index.ts";
import type { PlacedMark } from "../finding/index.ts";
import { PlacedRecovery } from "./placed-recovery.ts";
import type { Subject } from "./subject.ts";

export class EndPlaces {
  readonly #subject: Subject;
  readonly #maxInstructions: number;
  readonly #known = new Map<string, PlacedMark | undefined>();
  #made: PlacedRecovery | undefined;

  constructor(subject: Subject, maxInstructions: number) {
    this.#subject = subject;
    this.#maxInstructions = maxInstructions;
  }

  of(layout: Layout, { verdict, stderr }: RecoveryEnd): PlacedMark | undefined {
    if (stderr === "") return this.#find(layout);
    const how = verdict.kind === "signal" ? verdict.site : verdict.kind === "exit" ? verdict.code : "";
    const key = `${verdict.kind} ${how} ${stderr}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#find(layout));
    return this.#known.get(key);
  }

  #find(layout: Layout): PlacedMark | undefined {
    this.#made ??= new PlacedRecovery(this.#subject);
    this.#made.begin();
    this.#made.recovery.run(layout, this.#maxInstructions);
    const mark = this.#made.place();
    return mark && this.#made.placed(mark);
  }
}
