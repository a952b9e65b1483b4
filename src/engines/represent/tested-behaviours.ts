/** The behaviours that were selected, with the rounds of each: representatives first. */
import type { Round } from "../../crash/recovery-tree/index.ts";
import type { BehaviourRounds } from "./rounds.ts";
import type { Selection } from "./selection.ts";

export class TestedBehaviours {
  readonly rounds: readonly Required<Round>[];
  readonly #all: BehaviourRounds;
  readonly #count: number;

  constructor(rounds: BehaviourRounds, { leaders, others }: Selection) {
    this.rounds = [leaders, others].flatMap((each) => rounds.of(each.map((one) => one.behaviour)));
    this.#all = rounds;
    this.#count = leaders.length + others.length;
  }

  /** Points that were not taken. */
  get leftOut(): number {
    return this.#all.leftOut;
  }

  /** Crash states of rounds that are covered. */
  states(isCovered: (round: Round) => boolean): bigint {
    return this.#all.states(this.rounds.filter(isCovered));
  }

  /** Those of whose rounds none is left. The rounds of one behaviour have their lines in common. */
  covered(isCovered: (round: Round) => boolean): number {
    const open = new Set(this.rounds.filter((round) => !isCovered(round)).map((round) => round.open));
    return this.#count - open.size;
  }
}
