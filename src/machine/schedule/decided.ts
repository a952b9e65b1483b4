/** A schedule as it was decided before. Where the program no longer fits it, or it is over, the run goes on in order. */
import { assert } from "../../base/index.ts";
import type { BufferDrain, PlannedTurn, ScheduleChoice, SchedulePolicy, ThreadTurn, Waiting } from "./choices.ts";

export class DecidedSchedule implements SchedulePolicy {
  readonly countsPoints = false;
  readonly suspectsAll = false;
  readonly #choices: readonly ScheduleChoice[];
  #at = 0;
  /** What is left of a turn: it may have been interrupted where the kernel had something to do. */
  #turn: ThreadTurn | undefined;
  /** The first choice that the run could not follow, by its number. */
  misfit: number | undefined;

  constructor(choices: readonly ScheduleChoice[]) {
    this.#choices = choices;
  }

  started(): void {
    // It has been decided when the new thread's turn comes.
  }

  turn(ready: readonly number[]): PlannedTurn {
    assert(ready.length > 0, "schedule: somebody can run when a turn is given");
    const choice = this.#left ?? this.#next("turn");
    this.#turn = choice;
    if (choice !== undefined && ready.includes(choice.thread)) return { ...choice, points: undefined };
    if (choice !== undefined) this.#misfit();
    return { thread: ready[0]!, instructions: Number.MAX_SAFE_INTEGER, points: undefined };
  }

  get #left(): ThreadTurn | undefined {
    return this.#turn !== undefined && this.#turn.instructions > 0 && !this.#isOver ? this.#turn : undefined;
  }

  ran(instructions: number): void {
    if (this.#turn === undefined) return;
    this.#turn = { ...this.#turn, instructions: this.#turn.instructions - instructions };
  }

  drains(waiting: readonly Waiting[]): readonly BufferDrain[] {
    if (this.#left !== undefined) return [];
    if (this.#isOver) return waiting.map(({ thread, stores }) => ({ kind: "drain", thread, stores }));
    const choices: BufferDrain[] = [];
    for (let next = this.#next("drain"); next !== undefined; next = this.#next("drain")) {
      if (waiting.some(({ thread }) => thread === next!.thread)) choices.push(next);
      else this.#misfit();
    }
    return choices;
  }

  get #isOver(): boolean {
    return this.misfit !== undefined || (this.#at >= this.#choices.length && (this.#turn?.instructions ?? 0) === 0);
  }

  #next<Kind extends ScheduleChoice["kind"]>(kind: Kind): (ScheduleChoice & { readonly kind: Kind }) | undefined {
    const choice = this.#isOver ? undefined : this.#choices[this.#at];
    if (choice?.kind !== kind) {
      if (choice !== undefined && kind === "turn") this.#misfit();
      return undefined;
    }
    this.#at++;
    return choice as ScheduleChoice & { readonly kind: Kind };
  }

  #misfit(): void {
    this.misfit ??= this.#at;
  }
}
