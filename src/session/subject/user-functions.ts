/** The functions of the program's own files, and which of them its set-up, its run and its recoveries never ran. */
import { type RanFunction, ranFunctions } from "../../program/symbols/index.ts";
import type { Places } from "./places.ts";
import type { Subject } from "./subject.ts";

/** Written at one place; `modules` are the files that have code of it. */
export interface UserFunction extends RanFunction {
  readonly modules: readonly string[];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Each once, whatever files it was built into, in the order of the source. */
export function userFunctions({ ran }: Subject, { resolver }: Places): readonly UserFunction[] {
  const known = new Map<string, UserFunction>();
  for (const [path, blocks] of ran.all) {
    const file = resolver.file(path);
    for (const each of file === undefined ? [] : ranFunctions(file, blocks)) {
      const key = `${each.file}:${each.line} ${each.name}`;
      const before = known.get(key);
      known.set(key, {
        ...each,
        ran: each.ran || before?.ran === true,
        modules: [...(before?.modules ?? []), path],
      });
    }
  }
  return [...known.values()].sort((a, b) => compare(a.file, b.file) || a.line - b.line || compare(a.name, b.name));
}
