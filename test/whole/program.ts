/**
 * Small programs on persistent memory as people write them: rounds that store a counter to words one after another, make each durable
 * before the next, and acknowledge the round. Then somebody makes mistakes: a flush, a fence or an acknowledgement is left out or comes
 * at another place. Recovery wants what is stored later, or was acknowledged, never to be ahead of what was stored before.
 */
import { next32, seedRandom } from "../../src/base/index.ts";

/** A word of eight bytes: in a pool, on a line of it, at a place of that line. */
export interface Word {
  readonly pool: number;
  readonly line: number;
  readonly slot: number;
}

export type Step =
  | { readonly kind: "store"; readonly word: number; readonly value: number }
  | { readonly kind: "flush"; readonly word: number; readonly op: "clwb" | "clflushopt" | "clflush" }
  | { readonly kind: "fence" }
  /** A helper of the program: a function, or a macro that takes the word itself. */
  | { readonly kind: "persist"; readonly word: number; readonly how: "function" | "macro" | "range" }
  /** A line of output, or a number in a file beside the pools. */
  | { readonly kind: "acknowledge" }
  | { readonly kind: "side"; readonly value: number }
  /** A pool gets the name that recovery knows it by. */
  | { readonly kind: "rename"; readonly pool: number }
  /** A pool is mapped, or mapped once more in the place of what was there. */
  | { readonly kind: "map"; readonly pool: number; readonly isAgain: boolean };

/** What recovery compares: a word, how many lines were printed, the number beside the pools. */
export type Term = { readonly word: number } | "acknowledged" | "side";

/** Recovery fails where the one is larger than the other. */
export interface Rule {
  readonly left: Term;
  readonly right: Term;
}

export interface Program {
  readonly words: readonly Word[];
  /** Whether each pool is made under another name. */
  readonly renamed: readonly boolean[];
  readonly steps: readonly Step[];
  readonly rules: readonly Rule[];
}

export function makeProgram(seed: number): Program {
  const random = seedRandom(seed);
  const below = (count: number) => next32(random) % count;
  const often = (percent: number) => below(100) < percent;
  const pools = often(25) ? 2 : 1;
  const renamed = Array.from({ length: pools }, () => often(15));
  const places = new Set<string>();
  const words = Array.from({ length: 2 + below(3) }, (): Word => {
    for (;;) {
      const word = { pool: below(pools), line: below(3), slot: below(8) };
      const key = `${word.pool} ${word.line} ${word.slot}`;
      if (places.has(key)) continue;
      places.add(key);
      return word;
    }
  });
  const usesSide = often(20);
  const steps: Step[] = [];
  const isLate = renamed.map(() => often(20));
  const map = (pool: number): Step => ({ kind: "map", pool, isAgain: false });
  for (const [pool, late] of isLate.entries()) if (!late) steps.push(map(pool));
  const rounds = 1 + below(2);
  for (let round = 1; round <= rounds; round++) {
    for (const [at, word] of words.entries()) {
      if (isLate[word.pool]) {
        steps.push(map(word.pool));
        isLate[word.pool] = false;
      }
      steps.push({ kind: "store", word: at, value: round });
      if (often(40))
        steps.push({ kind: "persist", word: at, how: (["function", "macro", "range"] as const)[below(3)]! });
      else
        steps.push(
          { kind: "flush", word: at, op: (["clwb", "clflushopt", "clflush"] as const)[below(3)]! },
          { kind: "fence" },
        );
      if (often(8)) steps.push({ kind: "map", pool: word.pool, isAgain: true });
    }
    if (round === 1) for (const [pool, is] of renamed.entries()) if (is) steps.push({ kind: "rename", pool });
    steps.push(usesSide ? { kind: "side", value: round } : { kind: "acknowledge" });
  }
  for (let mistakes = below(3); mistakes > 0; mistakes--) mistake(steps, below);
  const pairs = words.slice(1).map((_, at): Rule => ({ left: { word: at + 1 }, right: { word: at } }));
  const promised: Rule = { left: usesSide ? "side" : "acknowledged", right: { word: below(words.length) } };
  return { words, renamed, steps, rules: [...pairs.filter(() => often(75)), promised] };
}

/** One step is left out, or changes its place with the next. What is mapped and named stays where it is. */
function mistake(steps: Step[], below: (count: number) => number): void {
  const isFixed = ({ kind }: Step) => kind === "map" || kind === "rename";
  const at = below(steps.length);
  const [one, next] = [steps[at]!, steps[at + 1]];
  if (isFixed(one)) return;
  if (one.kind !== "store" && one.kind !== "acknowledge" && one.kind !== "side" && below(2) === 0) steps.splice(at, 1);
  else if (next !== undefined && !isFixed(next)) steps.splice(at, 2, next, one);
}
