/**
 * Where a recovery reads words of persistent files: it runs once more, traced, on the same crash state, and is stopped right
 * before the instruction that first uses a word. Always: runs of so many instructions are beginnings of one another.
 */
import type { Layout } from "../crash/index.ts";
import type { PlacedMark } from "../finding/index.ts";
import { PlacedRecovery } from "./placed-recovery.ts";
import type { Subject } from "./subject.ts";

/** Aligned four bytes of a file, as the machine names it. */
export interface UsedWord {
  readonly path: string;
  readonly word: number;
}

export class LoadPlaces {
  readonly #subject: Subject;
  readonly #maxInstructions: number;
  #made: PlacedRecovery | undefined;

  constructor(subject: Subject, maxInstructions: number) {
    this.#subject = subject;
    this.#maxInstructions = maxInstructions;
  }

  get #machine() {
    this.#made ??= new PlacedRecovery(this.#subject);
    return this.#made;
  }

  /** The words that recovery uses of these files, in the order of their first use, and how many instructions it takes. */
  used(
    layout: Layout,
    paths: ReadonlySet<string>,
  ): { readonly words: readonly UsedWord[]; readonly instructions: number } {
    return this.#run(layout, paths, this.#maxInstructions);
  }

  #run(layout: Layout, paths: ReadonlySet<string>, instructions: number) {
    const { recovery, machine } = this.#machine;
    const words: UsedWord[] = [];
    const ended = recovery.run(layout, instructions, 0, (left) => {
      machine.watch({
        isWatched: (path) => paths.has(path),
        halves: true,
        words: (path, numbers) => words.push(...Array.from(numbers, (word) => ({ path, word }))),
        name: () => {},
        listing: () => {},
      });
      return machine.run(left);
    });
    machine.watch(undefined);
    return { words, instructions: ended.instructions };
  }

  /** Where the words of these numbers in the list of uses are first used; the numbers are in order. */
  places(layout: Layout, paths: ReadonlySet<string>, uses: readonly number[]): readonly (PlacedMark | undefined)[] {
    const { instructions } = this.used(layout, paths);
    let from = 0;
    return uses.map((use) => {
      let [none, some] = [from, instructions];
      while (none + 1 < some) {
        const middle = Math.floor((none + some) / 2);
        if (this.#run(layout, paths, middle).words.length > use) some = middle;
        else none = middle;
      }
      from = none;
      return this.#placeAfter(layout, paths, none);
    });
  }

  /** The instruction that follows so many others. */
  #placeAfter(layout: Layout, paths: ReadonlySet<string>, instructions: number): PlacedMark | undefined {
    const made = this.#machine;
    made.begin();
    this.#run(layout, paths, instructions);
    const place = made.place();
    return place && made.placed(place);
  }
}
