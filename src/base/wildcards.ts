/**
 * Patterns with wildcards over whole sequences: letters of a path, frames of a stack. Always: what a match takes grows with
 * the pattern times the text and no faster, whoever wrote either; a backtracking matcher takes years over sixty stars.
 */

/** What one item, or with `repeats` any number of them in a row, may be. */
export interface PatternStep<Item> {
  readonly accepts: (item: Item) => boolean;
  readonly repeats: boolean;
}

/** Whether all items, in their order, are what the steps, in theirs, accept: every way through the steps at once. */
export function matchesSteps<Item>(steps: readonly PatternStep<Item>[], items: Iterable<Item>): boolean {
  let reached = new Positions(steps).add(0);
  for (const item of items) {
    const next = new Positions(steps);
    for (const at of reached.ascending) {
      const step = steps[at];
      if (step?.accepts(item)) next.add(step.repeats ? at : at + 1);
    }
    if (next.ascending.length === 0) return false;
    reached = next;
  }
  return reached.ascending.at(-1) === steps.length;
}

/** Which step may be next, in ascending order: as many as there are steps when all that came before is done. */
class Positions {
  readonly ascending: number[] = [];
  readonly #steps: readonly PatternStep<never>[];

  constructor(steps: readonly PatternStep<never>[]) {
    this.#steps = steps;
  }

  /** No lower one than before is ever added: what is not above the last is in. A step that repeats may be left out. */
  add(position: number): this {
    if (position <= (this.ascending.at(-1) ?? -1)) return this;
    this.ascending.push(position);
    for (let at = position; this.#steps[at]?.repeats; at++) this.ascending.push(at + 1);
    return this;
  }
}

/** A pattern that texts are held against. */
export interface TextPattern {
  test(text: string): boolean;
}

const any = (): boolean => true;

/** `*` stands for any letters, `?` for one. */
export function wildcardPattern(text: string): TextPattern {
  const steps = [...text].map((letter): PatternStep<string> => {
    if (letter === "*") return { accepts: any, repeats: true };
    return { accepts: letter === "?" ? any : (each) => each === letter, repeats: false };
  });
  return { test: (name) => matchesSteps(steps, name) };
}
