/**
 * Shell patterns over whole paths: `*` and `?` stop at a slash, `**` does not, `[a-z]` is one of and `[!a-z]` none of, and
 * neither is a slash. A bracket that is not closed stands for itself.
 */
import { InputError } from "./assert.ts";
import { matchesSteps, type PatternStep, type TextPattern } from "./wildcards.ts";

/** Linux's PATH_MAX: a longer pattern is no shorter path's. */
const mostLetters = 4096;

const isInPath = (): boolean => true;
const isInName = (letter: string): boolean => letter !== "/";

const parts = /\*\*|[*?]|\[!?\]?[^\]]*\]|./gsu;

export function globPattern(glob: string): TextPattern {
  if (glob.length > mostLetters)
    throw new InputError("glob/length", `A pattern for paths has at most ${mostLetters} letters.`);
  const steps = [...glob.matchAll(parts)].map(([part]) => stepOf(glob, part));
  return { test: (path) => matchesSteps(steps, path) };
}

function stepOf(glob: string, part: string): PatternStep<string> {
  if (part === "**") return { accepts: isInPath, repeats: true };
  if (part === "*") return { accepts: isInName, repeats: true };
  if (part === "?") return { accepts: isInName, repeats: false };
  if ([...part].length > 1) return { accepts: letterSet(glob, part), repeats: false };
  return { accepts: (letter) => letter === part, repeats: false };
}

/** `[a-z_]` or `[!a-z_]`. */
function letterSet(glob: string, part: string): (letter: string) => boolean {
  const isExcluding = part.startsWith("[!");
  const inside = part.slice(isExcluding ? 2 : 1, -1);
  const ranges = [...inside.matchAll(/(.)-(.)|./gsu)].map(([one, first = one, last = one]) => {
    if (codeOf(first) > codeOf(last))
      throw new InputError("glob/range", `The pattern "${glob}" has the range ${one}, which ends before it begins.`, {
        glob,
      });
    return [codeOf(first), codeOf(last)] as const;
  });
  return (letter) => {
    const code = codeOf(letter);
    return letter !== "/" && ranges.some(([first, last]) => first <= code && code <= last) !== isExcluding;
  };
}

const codeOf = (letter: string): number => letter.codePointAt(0)!;
