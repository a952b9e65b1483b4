/**
 * Which call of a helper is wrong: where several lines call it and the stores of one call alone break recovery, that line is told
 * with it. By the source's lines, since a compiler may inline the helper into some of its callers. Always: that the other calls are right
 * is tried, not concluded from what was found.
 */
import { outsideTheSystem, ownPosition } from "../../crash/finding/index.ts";
import type { Frame, Trace } from "../../trace/events/index.ts";
import { codeIn, codeOf, inRecord, recordWords } from "../../trace/record/index.ts";

const lineOf = (frame: Frame | undefined): string =>
  frame === undefined ? "" : `${frame.function} ${frame.file}:${frame.line ?? frame.address}`;

/** The user's line and those that called it, innermost first. */
const linesOf = (frames: readonly Frame[]): readonly string[] =>
  frames.slice(ownPosition(frames, outsideTheSystem) ?? 0).map(lineOf);

/** The first and the last event of one site in one calling context. */
interface StoreCall {
  readonly site: number;
  readonly stack: number;
  readonly first: number;
  last: number;
}

function storeCalls(trace: Trace): readonly StoreCall[] {
  const calls: StoreCall[] = [];
  const known = new Map<number, Map<number, StoreCall>>();
  let seq = 0;
  for (const words of trace.batches())
    for (let at = 0; at < words.length; at += recordWords, seq++) {
      const code = codeIn(words[at]!);
      if (code !== codeOf.store && code !== codeOf["non-temporal"]) continue;
      const [site, stack] = [words[at + inRecord.site]!, words[at + inRecord.stack]!];
      const stacks = known.get(site) ?? new Map<number, StoreCall>();
      const call = stacks.get(stack) ?? { site, stack, first: seq, last: seq };
      call.last = seq;
      if (call.first === seq) calls.push(call);
      known.set(site, stacks.set(stack, call));
    }
  return calls;
}

/** So many stores of other callers are tried; where there are more, nothing is said of them. */
const mostTried = 12;

/** A call that fails, and what was tried of the others. */
export interface WrongCall {
  /** Its position among the failing place's calls. */
  readonly at: number;
  /** Stores of other callers that recovery was tried without. */
  readonly tried: number;
}

/** Whether recovery fails for one of these stores as it does for the one that was found. */
type FailsToo = (stores: readonly number[]) => boolean;

export class Callers {
  readonly #trace: Trace;
  readonly #framesOf: (site: number, stack: number) => readonly Frame[];
  /** By a line of the user's, the lines that called it, with stores that it made for them. */
  #known: Map<string, Map<string, Set<number>>> | undefined;

  constructor(trace: Trace, framesOf: (site: number, stack: number) => readonly Frame[]) {
    this.#trace = trace;
    this.#framesOf = framesOf;
  }

  /** Which lines called one of the user's, wherever it stores in the trace. */
  #callersOf(line: string): ReadonlyMap<string, ReadonlySet<number>> {
    if (this.#known === undefined) {
      this.#known = new Map();
      for (const { site, stack, first, last } of storeCalls(this.#trace)) {
        const [own = "", caller = ""] = linesOf(this.#framesOf(site, stack));
        const callers = this.#known.get(own) ?? new Map<string, Set<number>>();
        const stores = callers.get(caller) ?? new Set();
        this.#known.set(own, callers.set(caller, stores.add(first).add(last)));
      }
    }
    return this.#known.get(line) ?? new Map();
  }

  /**
   * Of a failing place, the call that made it fail. `failing` are all places that anything is found at. Undefined where nothing tells:
   * one line alone calls it, several fail, or there are too many calls to try.
   */
  wrongCall(
    frames: readonly Frame[],
    failing: readonly (readonly Frame[])[],
    failsToo: FailsToo,
  ): WrongCall | undefined {
    const own = ownPosition(frames, outsideTheSystem);
    const [line, caller] = linesOf(frames);
    if (own === undefined || line === undefined || caller === undefined) return undefined;
    const wrong = new Set(failing.map(linesOf).flatMap(([each, by = ""]) => (each === line ? [by] : [])));
    const others = [...this.#callersOf(line)].flatMap(([by, stores]) => (by === caller ? [] : [...stores]));
    if (wrong.size !== 1 || others.length === 0 || others.length > mostTried) return undefined;
    return failsToo(others) ? undefined : { at: own + 1, tried: others.length };
  }
}
