/**
 * Whether a crash can leave what a program's recovery fails on: every crash state, one by one, in plain code that shares nothing with
 * what is tested. A line holds some beginning of what was stored to it; no less than what a flush and then a fence, or clflush alone, made sure of.
 */
import type { Program, Term, Word } from "./program.ts";

/** A line of a pool: what was stored to it, how many of these are sure, and how many the next fence makes sure. */
interface Line {
  readonly stores: { readonly word: number; readonly value: number }[];
  sure: number;
  asked: number;
}

export interface Broken {
  /** The step after which the power is cut. */
  readonly after: number;
  /** What recovery finds in each word. */
  readonly words: readonly number[];
}

/** The first crash state that recovery fails on. */
export function brokenState(program: Program): Broken | undefined {
  const { words, renamed, steps } = program;
  const lines = new Map<string, Line>();
  const lineOf = ({ pool, line }: Word): Line => {
    const key = `${pool} ${line}`;
    if (!lines.has(key)) lines.set(key, { stores: [], sure: 0, asked: 0 });
    return lines.get(key)!;
  };
  const isNamed = renamed.map((is) => !is);
  let [acknowledged, side] = [0, 0];
  const ask = (word: number) => {
    const line = lineOf(words[word]!);
    line.asked = line.stores.length;
  };
  const fence = () => {
    for (const line of lines.values()) line.sure = Math.max(line.sure, line.asked);
  };
  for (const [after, step] of steps.entries()) {
    if (step.kind === "store") lineOf(words[step.word]!).stores.push(step);
    else if (step.kind === "flush") {
      ask(step.word);
      const line = lineOf(words[step.word]!);
      if (step.op === "clflush") line.sure = line.stores.length;
    } else if (step.kind === "persist") {
      ask(step.word);
      fence();
    } else if (step.kind === "fence") fence();
    else if (step.kind === "acknowledge") acknowledged++;
    else if (step.kind === "side") side = step.value;
    else if (step.kind === "rename") isNamed[step.pool] = true;
    const all = [...lines.values()];
    const isBad = (found: readonly number[]) => {
      const seen = found.map((value, word) => (isNamed[words[word]!.pool] ? value : 0));
      const termIn = (term: Term) =>
        term === "acknowledged" ? acknowledged : term === "side" ? side : seen[term.word]!;
      return program.rules.some(({ left, right }) => termIn(left) > termIn(right)) ? seen : undefined;
    };
    const bad = search(all, new Array<number>(words.length).fill(0), isBad);
    if (bad !== undefined) return { after, words: bad };
  }
  return undefined;
}

/** Every way that the lines may be cut. */
function search(
  [line, ...rest]: readonly Line[],
  found: readonly number[],
  isBad: (found: readonly number[]) => readonly number[] | undefined,
): readonly number[] | undefined {
  if (line === undefined) return isBad(found);
  for (let kept = line.sure; kept <= line.stores.length; kept++) {
    const here = [...found];
    for (const { word, value } of line.stores.slice(0, kept)) here[word] = value;
    const bad = search(rest, here, isBad);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
