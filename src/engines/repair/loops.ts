/**
 * Fences and flushes out of the loops that they are in: one fence completes all flushes when the loop is left, and one flush of a range
 * may stand for a flush at each turn. Always:
 * - Only loops that are left by their end, so that what stands behind them in the source runs.
 * - Tried in the running code behind the loop of the machine that is the source's: where the compiler has made more or fewer loops
 *   of a function than it has in the source, or has inlined it, all stays where it is.
 * - A flush leaves the innermost loop alone, where the source can say what all turns store, and where the run stores to line after
 *   line: a range flushes what lies between, too.
 * - X → F(X) → M → I holds in the run with it, for every finding, each time the run comes by; and the check has the last word.
 */

import { type CodeMap, codePlace, fenceAt, isDurableBefore } from "../../crash/insertions/index.ts";
import { loopsAround, recoverFlow } from "../../isa/control-flow/index.ts";
import type { Patch } from "../../machine/index.ts";
import {
  idiomAt,
  isLeftByEnd,
  loopsOf,
  nodeAt,
  placeAfter,
  type Reach,
  rangeOfLoop,
  type SourceNode,
} from "../../program/source/index.ts";
import type { Places } from "../../session/subject/index.ts";
import { eventsBetween, type Frame, type Trace, type TraceEvent } from "../../trace/events/index.ts";
import { callsAlong } from "./hoist.ts";
import type { OpenSource, OpenSources } from "./open-sources.ts";
import { orderingsOf } from "./reduce.ts";
import type { Fix, PatchedInsert } from "./repair.ts";
import { isWord } from "./stored-ranges.ts";

/** Where a flush or fence of a fix stands: in the source, and in the code. */
interface InsertPlace {
  readonly source: OpenSource;
  readonly node: SourceNode;
  readonly address: number;
}

export class RepairLoops {
  readonly #sources: OpenSources;
  readonly #places: Places;
  readonly #map: CodeMap;

  constructor(sources: OpenSources, places: Places, map: CodeMap) {
    this.#sources = sources;
    this.#places = places;
    this.#map = map;
  }

  /** The fix with its fences behind the loops that they are in: all of them first, then one less, and so on. */
  *withFencesOut(fix: Fix): Iterable<Fix> {
    const exits = fix.inserts.map((insert) => (insert.op === "fence" ? this.#fencesBehind(insert) : []));
    for (let loops = Math.max(0, ...exits.map(({ length }) => length)); loops > 0; loops--) {
      const inserts = fix.inserts.flatMap((insert, index) => {
        const depth = Math.min(loops, exits[index]!.length);
        return depth === 0 ? [insert] : exits[index]![depth - 1]!.map((patch) => ({ ...insert, patch, loops: depth }));
      });
      yield { ...fix, inserts };
    }
  }

  /** Patches behind each loop around a fence, innermost first, as far as it may go. */
  #fencesBehind(insert: PatchedInsert): readonly (readonly PatchedInsert["patch"][])[] {
    const place = this.#placeOf(insert, insert.level);
    if (place === undefined || !canFenceAlone(place)) return [];
    return this.#exitsFrom(place).map((exits) => exits.flatMap((exit) => fenceAt(exit, this.#map) ?? []));
  }

  /** A flush behind the innermost loop that it is in; undefined where it cannot be. */
  flushOut(insert: PatchedInsert): PatchedInsert | undefined {
    // In a copy, too, it is the loop around the store.
    const place = this.#placeOf(insert, 0);
    const [exits] = place === undefined ? [] : this.#exitsFrom(place);
    const until = exits?.map((exit) => codePlace(this.#map, exit)) ?? [];
    const isSaid =
      place !== undefined && flushBehindLoop(place.node, place.source, reachOf(insert.after)) !== undefined;
    if (!isSaid || until.length === 0 || until.includes(undefined)) return undefined;
    const places = until.filter((one) => one !== undefined);
    return { ...insert, patch: { ...insert.patch, until: places }, isBehindLoop: true };
  }

  /** Where the program goes when it leaves each loop around a place, innermost first, as far as all come by what stands behind. */
  #exitsFrom({ node, address }: InsertPlace): readonly (readonly number[])[] {
    const inSource = loopsOf(node);
    const code = this.#places.resolver.codeAt(address);
    const ranges = code?.file.variables.rangesAt(code.address);
    const flow = code && ranges?.[0] && recoverFlow(code.file.code, ranges[0].low, ranges);
    const inCode = flow === undefined ? [] : loopsAround(flow, code!.address);
    if (inCode.length !== inSource.length) return [];
    const stop = inSource.findIndex((loop) => !isLeftByEnd(loop) || placeAfter(loop).kind === "nowhere");
    return inCode.slice(0, stop < 0 ? inCode.length : stop).map(({ exits }) => exits.map((exit) => exit + code!.bias));
  }

  /** After the store, or after the call of a persistent subprogram that its fix is in. */
  #placeOf({ after }: PatchedInsert, level = 0): InsertPlace | undefined {
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

/** One flush of all that the loop around a node stores there, if it makes a turn, and where it goes; undefined where the source has no words for it. */
export function flushBehindLoop(
  node: SourceNode,
  { repeatable, bitFields, helpers, text, headers }: OpenSource,
  { withinLine }: Reach,
) {
  const placement = placeAfter(node);
  const [loop] = loopsOf(node);
  if (placement.kind === "nowhere" || loop === undefined) return undefined;
  const behind = placeAfter(loop);
  const range = rangeOfLoop(loop, node, placement.statement, repeatable, bitFields);
  const reach = { withinLine: withinLine && (range?.isOnePlace ?? false) };
  const flushed = range && idiomAt(node, helpers, text, headers, reach).flush?.(range);
  if (behind.kind === "nowhere" || flushed?.length !== 1) return undefined;
  return { placement: behind, statement: range?.runs === undefined ? flushed[0]! : `if (${range.runs}) ${flushed[0]}` };
}

const LINE_BYTES = 64;

const reachOf = (event: TraceEvent): Reach => ({
  withinLine:
    "address" in event && "size" in event && isWord({ first: event.address, end: event.address + event.size }),
});

/** Whether what comes behind loops in a run is line after line, each time. */
export function isContiguous(trace: Trace, patches: readonly Patch[]): boolean {
  let before: { readonly line: number; readonly patch: number } | undefined;
  for (const event of eventsBetween(trace, 0, trace.count)) {
    const patch = "patch" in event ? event.patch : undefined;
    const isLate = patch !== undefined && patches[patch]?.until !== undefined && "address" in event;
    const line = isLate ? Math.floor(event.address / LINE_BYTES) : undefined;
    if (line !== undefined && before?.patch === patch && line !== before!.line + 1) return false;
    before = line === undefined ? undefined : { line, patch: patch! };
  }
  return true;
}

/** Whether the program has words for a flush, and for a fence, each without the other. */
function canFenceAlone({ source, node }: InsertPlace): boolean {
  const { flush, fence, persist } = idiomAt(node, source.helpers, source.text, source.headers, { withinLine: true });
  return flush !== undefined && fence !== undefined && flush !== persist;
}

/** Whether what each insertion is for is durable before I in a patched run, each time that the run comes by. */
export function orderingsHeld(inserts: readonly PatchedInsert[], trace: Trace): readonly boolean[] {
  const run = [...eventsBetween(trace, 0, trace.count)];
  return inserts.flatMap((insert) =>
    orderingsOf(insert, run).map(({ events, from, by, isEnd }) =>
      isDurableBefore(events, from, by, (event) => isEnd && event.kind === "locked"),
    ),
  );
}
