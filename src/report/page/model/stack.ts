/** A stack as a reader wants it: their own calls, with libraries folded into the call that entered them. */
import type * as document from "../../document/index.ts";
import { bareName, withoutStartUp } from "../../document/index.ts";
import { moduleName } from "./words.ts";

export interface OwnCall {
  readonly kind: "own";
  readonly frame: document.Frame;
}
/** Calls of libraries, innermost first. */
export interface Folded {
  readonly kind: "folded";
  readonly frames: readonly document.Frame[];
  /** "pmemobj_tx_commit (libpmemobj)": the call that the user's code made. */
  readonly title: string;
}

const titleOf = (frames: readonly document.Frame[]): string => {
  const entry = frames.at(-1)!;
  const module = entry.module === undefined ? "" : moduleName(entry.module);
  return entry.function === undefined
    ? module || entry.address
    : `${bareName(entry.function)}${module && ` (${module})`}`;
};

export function folded(all: readonly document.Frame[]): (OwnCall | Folded)[] {
  const frames = withoutStartUp(all);
  const calls: (OwnCall | Folded)[] = [];
  for (let at = 0; at < frames.length; ) {
    const frame = frames[at]!;
    if (!frame.library) {
      calls.push({ kind: "own", frame });
      at++;
      continue;
    }
    let end = at;
    while (frames[end]?.library) end++;
    const library = frames.slice(at, end);
    calls.push({ kind: "folded", frames: library, title: titleOf(library) });
    at = end;
  }
  return calls;
}
