/**
 * A fence out of the loops that it is in: the flush stays, and one fence completes all of them when the loop is left. Always:
 * - Only loops that are left by their end, so that what stands behind them in the source runs.
 * - Tried in the running code behind the loop of the machine that is the source's: where the compiler has made more or fewer loops
 *   of a function than it has in the source, or has inlined it, the fence stays.
 * - X → F(X) → M → I holds in the run with it, for every finding, each time the run comes by; and the check has the last word.
 */
import { loopsAround, recoverFlow } from "../../flow/index.ts";
import { type CodeMap, fenceAt, isDurableBefore } from "../../inserts/index.ts";
import { idiomAt, isLeftByEnd, loopsOf, nodeAt, placeAfter, type SourceNode } from "../../source/index.ts";
import type { Places } from "../../subject/index.ts";
import { eventsBetween, type Frame, type Trace } from "../../trace/index.ts";
import { callsAlong } from "./hoist.ts";
import type { OpenSource, OpenSources } from "./open-sources.ts";
import { orderingsOf } from "./reduce.ts";
import type { Fix, PatchedInsert } from "./repair.ts";

/** Where a fence of a fix stands: in the source, and in the code. */
interface FencePlace {
  readonly source: OpenSource;
  readonly node: SourceNode;
  readonly address: number;
}

export class LoopFences {
  readonly #sources: OpenSources;
  readonly #places: Places;
  readonly #map: CodeMap;

  constructor(sources: OpenSources, places: Places, map: CodeMap) {
    this.#sources = sources;
    this.#places = places;
    this.#map = map;
  }

  /** The fix with its fences behind the loops that they are in: all of them first, then one less, and so on. */
  *movedOut(fix: Fix): Iterable<Fix> {
    const exits = fix.inserts.map((insert) => (insert.op === "fence" ? this.#exitsFrom(insert) : []));
    for (let loops = Math.max(0, ...exits.map(({ length }) => length)); loops > 0; loops--) {
      const inserts = fix.inserts.flatMap((insert, index) => {
        const depth = Math.min(loops, exits[index]!.length);
        return depth === 0 ? [insert] : exits[index]![depth - 1]!.map((patch) => ({ ...insert, patch, loops: depth }));
      });
      yield { ...fix, inserts };
    }
  }

  /** Patches behind each loop around a fence, innermost first, as far as it may go. */
  #exitsFrom(insert: PatchedInsert): readonly (readonly PatchedInsert["patch"][])[] {
    const place = this.#placeOf(insert);
    if (place === undefined || !canFenceAlone(place)) return [];
    const inSource = loopsOf(place.node);
    const code = this.#places.resolver.codeAt(place.address);
    const ranges = code?.file.variables.rangesAt(code.address);
    const flow = code && ranges?.[0] && recoverFlow(code.file.code, ranges[0].low, ranges);
    const inCode = flow === undefined ? [] : loopsAround(flow, code!.address);
    if (inCode.length !== inSource.length) return [];
    const stop = inSource.findIndex((loop) => !isLeftByEnd(loop) || placeAfter(loop).kind === "nowhere");
    return inCode
      .slice(0, stop < 0 ? inCode.length : stop)
      .map(({ exits }) => exits.flatMap((exit) => fenceAt(exit + code!.bias, this.#map) ?? []));
  }

  /** After the store, or after the call of a persistent subprogram that its fix is in. */
  #placeOf({ after, level = 0 }: PatchedInsert): FencePlace | undefined {
    const frames = this.#places.resolver.frames(after.site, after.stack);
    const returns = this.#map.tables.contexts.stack(after.stack);
    const own = this.#sources.ownFrame(frames);
    // What is inlined into other functions is in loops that are not its own.
    if (own?.file === undefined || frames.length !== returns.length + 1) return undefined;
    const at = frames.indexOf(own) + level;
    const address = at === 0 ? after.site : returns[at - 1]!;
    const file = frames[at]?.file;
    const source = file === undefined ? undefined : this.#sources.open(file);
    const node = source && this.#nodeOf(source, frames.slice(frames.indexOf(own)), level);
    return source && node && { source, node, address };
  }

  #nodeOf({ root }: OpenSource, frames: readonly Frame[], level: number): SourceNode | undefined {
    if (level > 0) return callsAlong(this.#sources.functions, frames)[level - 1]?.node;
    return nodeAt(root, { line: frames[0]!.line!, column: frames[0]!.column ?? 0 });
  }
}

/** Whether the program has words for a flush, and for a fence, each without the other. */
function canFenceAlone({ source, node }: FencePlace): boolean {
  const { flush, fence, persist } = idiomAt(node, source.helpers, source.text, source.headers, { withinLine: true });
  return flush !== undefined && fence !== undefined && flush !== persist;
}

/** Whether what each insertion is for is durable before I in a patched run, each time that the run comes by. */
export function orderingsHeld(inserts: readonly PatchedInsert[], traces: readonly Trace[]): readonly boolean[] {
  const runs = traces.map((trace) => [...eventsBetween(trace, 0, trace.count)]);
  return inserts.flatMap((insert) =>
    runs
      .flatMap((events) => orderingsOf(insert, events))
      .map(({ events, from, by, isEnd }) =>
        isDurableBefore(events, from, by, (event) => isEnd && event.kind === "locked"),
      ),
  );
}
