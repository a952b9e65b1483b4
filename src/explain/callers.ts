/**
 * Which call of a helper is wrong: where several lines call it and the stores of one call alone break recovery, that line is told
 * with it. By the source's lines, since a compiler may inline the helper into some of its callers.
 */
import { outsideTheSystem, ownPosition } from "../finding/index.ts";
import { codeIn, codeOf, type Frame, inRecord, recordWords, type Trace } from "../trace/index.ts";

const lineOf = (frame: Frame | undefined): string =>
  frame === undefined ? "" : `${frame.function} ${frame.file}:${frame.line ?? frame.address}`;

/** The user's line and those that called it, innermost first. */
const linesOf = (frames: readonly Frame[]): readonly string[] =>
  frames.slice(ownPosition(frames, outsideTheSystem) ?? 0).map(lineOf);

/** Every store's calls, each site with each calling context once. */
function storeCalls(trace: Trace): readonly (readonly [site: number, stack: number])[] {
  const calls: (readonly [number, number])[] = [];
  const known = new Map<number, Set<number>>();
  for (const words of trace.batches())
    for (let at = 0; at < words.length; at += recordWords) {
      const code = codeIn(words[at]!);
      if (code !== codeOf.store && code !== codeOf["non-temporal"]) continue;
      const [site, stack] = [words[at + inRecord.site]!, words[at + inRecord.stack]!];
      const stacks = known.get(site) ?? new Set();
      if (stacks.has(stack)) continue;
      known.set(site, stacks.add(stack));
      calls.push([site, stack]);
    }
  return calls;
}

export class Callers {
  readonly #trace: Trace;
  readonly #framesOf: (site: number, stack: number) => readonly Frame[];
  #known: Map<string, Set<string>> | undefined;

  constructor(trace: Trace, framesOf: (site: number, stack: number) => readonly Frame[]) {
    this.#trace = trace;
    this.#framesOf = framesOf;
  }

  /** Which lines called one of the user's, wherever it stores in the trace. */
  #callersOf(line: string): ReadonlySet<string> {
    if (this.#known === undefined) {
      this.#known = new Map();
      for (const [site, stack] of storeCalls(this.#trace)) {
        const [own = "", caller = ""] = linesOf(this.#framesOf(site, stack));
        this.#known.set(own, (this.#known.get(own) ?? new Set()).add(caller));
      }
    }
    return this.#known.get(line) ?? new Set();
  }

  /**
   * The position among a failing place's calls of the one that called it wrongly. `failing` are all places at which the same
   * mistake shows. Undefined where nothing tells: one line alone calls it, or several fail.
   */
  wrongCall(frames: readonly Frame[], failing: readonly (readonly Frame[])[]): number | undefined {
    const own = ownPosition(frames, outsideTheSystem);
    const [line, caller] = linesOf(frames);
    if (own === undefined || line === undefined || caller === undefined) return undefined;
    const wrong = new Set(failing.map(linesOf).flatMap(([each, by = ""]) => (each === line ? [by] : [])));
    return wrong.size === 1 && this.#callersOf(line).size > 1 ? own + 1 : undefined;
  }
}
