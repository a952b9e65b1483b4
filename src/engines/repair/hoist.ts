/**
 * Where a fix belongs (Hippocrates, section 3.4.3, phase 3): at the store, or at one of the calls that led there, as a persistent
 * subprogram. Always:
 * - Only calls strictly below the function of I, by which the store must be durable, and only where all its stores lie below one call.
 * - The place with the highest score; of several, the innermost. A call without arguments rules out all calls above it.
 * - A hoisted fix is tried in the running code as any other is: flushes below that call alone, one fence when it has returned.
 */
import { assert } from "../../base/index.ts";
import { type CodeMap, calledPatches, isDurableBefore } from "../../crash/insertions/index.ts";
import {
  inCallersWords,
  nodeAt,
  placeAfter,
  rootVariable,
  type SourceCall,
  type SourceFunction,
  type SourceFunctions,
  type SourceNode,
  type WrittenRange,
  writtenAt,
  writtenNode,
} from "../../program/source/index.ts";
import type { Places } from "../../session/subject/index.ts";
import { eventsBetween, type Frame, type Trace, type TraceEvent } from "../../trace/events/index.ts";
import { Aliases } from "./aliases.ts";
import { Copies } from "./copies.ts";
import type { OpenSources } from "./open-sources.ts";
import { orderingsOf } from "./reduce.ts";
import type { Fix, PatchedInsert } from "./repair.ts";

/** A place that a fix may have, with its score. */
export interface HoistPlace {
  readonly frame: Frame;
  readonly score: number;
}

export interface Hoisted {
  /** From the store outwards, as far as calls were looked at. */
  readonly candidates: readonly HoistPlace[];
  /** How many calls above the store; 0 where it stays in place. */
  readonly level: number;
  /** Why there is no copy although a call scores higher: then it stays in place, or what was stored is flushed after the call. */
  readonly why?: string;
}

/** A store with the calls that led to it, as far as they are in the source. */
interface StoreChain {
  readonly frames: readonly Frame[];
  readonly inside: SourceFunction;
  /** Innermost first: `calls[0]` calls `inside`. */
  readonly calls: readonly SourceCall[];
  /** What the store goes through. */
  readonly variable: string;
}

/** The calls of `frames` by their places in the source, up to the first that is not there. */
export function callsAlong(functions: SourceFunctions, frames: readonly Frame[]): readonly SourceCall[] {
  const calls: SourceCall[] = [];
  for (let level = 1; level < frames.length; level++) {
    const [callee, caller] = [frames[level - 1]!, frames[level]!].map((frame) => functions.named(frame.function ?? ""));
    const line = frames[level]!.line;
    const call = callee && caller && line !== undefined ? functions.callAt(caller, callee.name, line) : undefined;
    if (call === undefined) break;
    calls.push(call);
  }
  return calls;
}

/** How many calls of a store are not yet of the function of I: both stacks, outermost last, part there. */
function callsBelow(frames: readonly Frame[], by: readonly Frame[]): number {
  let shared = 0;
  const same = (a: Frame, b: Frame) => a.function === b.function && a.file === b.file && a.line === b.line;
  while (shared < Math.min(frames.length, by.length) && same(frames.at(-1 - shared)!, by.at(-1 - shared)!)) shared++;
  // The next frames may be of one call of one function, at two of its lines.
  const [mine, other] = [frames.at(-1 - shared), by.at(-1 - shared)];
  const isOneCall = mine !== undefined && other !== undefined && mine.function === other.function;
  return Math.max(0, frames.length - shared - (isOneCall ? 1 : 0));
}

/** The best place of a store's fix. */
function placeByScore(chain: StoreChain, levels: number, aliases: Aliases): Hoisted {
  const candidates: HoistPlace[] = [
    { frame: chain.frames[0]!, score: aliases.scoreOfStore(chain.variable, chain.inside) },
  ];
  for (const call of chain.calls.slice(0, levels)) {
    const score = aliases.scoreOfCall(call);
    candidates.push({ frame: chain.frames[candidates.length]!, score });
    if (score === Number.NEGATIVE_INFINITY) break;
  }
  const best = Math.max(...candidates.map(({ score }) => score));
  return { candidates, level: candidates.findIndex(({ score }) => score === best) };
}

/** What a statement of the source stores through, and where. */
function storeIn(sources: OpenSources, { file, line, column, function: name }: Frame) {
  const inside = sources.functions.named(name ?? "");
  const open = file === undefined ? undefined : sources.open(file);
  const node = open && line !== undefined ? nodeAt(open.root, { line, column: column ?? 0 }) : undefined;
  const placement = node && placeAfter(node);
  if (inside === undefined || placement === undefined || placement.kind === "nowhere") return undefined;
  const written: SourceNode | undefined = writtenNode(node!, placement.statement);
  const variable = written && rootVariable(written);
  return variable === undefined ? undefined : { inside, variable };
}

/** What the store at `frames[0]` writes, in the words of the function that the last of `calls` is in. */
export function rangeAtCall(
  sources: OpenSources,
  [frame]: readonly Frame[],
  calls: readonly SourceCall[],
): WrittenRange | undefined {
  const open = frame?.file === undefined ? undefined : sources.open(frame.file);
  const node = open && nodeAt(open.root, { line: frame?.line ?? 0, column: frame?.column ?? 0 });
  const placement = node && placeAfter(node);
  if (open === undefined || placement === undefined || placement.kind === "nowhere") return undefined;
  let range = writtenAt(node!, placement.statement, open.repeatable, open.bitFields);
  for (const call of calls) {
    const callee = sources.functions.named(call.callee);
    const say = (text: string) => callee && inCallersWords(text, callee, call, open.repeatable);
    const [address, size]: readonly (string | undefined)[] =
      range === undefined ? [] : [say(range.address), say(range.size)];
    if (address === undefined || size === undefined) return undefined;
    range = { address, size, ...(range?.isWider && { isWider: true }) };
  }
  return range;
}

/** Looks for the best place of fixes to one traced run. */
export class Hoisting {
  readonly #sources: OpenSources;
  readonly #places: Places;
  readonly #map: CodeMap;
  readonly #aliases: Aliases;
  readonly #events: readonly TraceEvent[];

  constructor(sources: OpenSources, trace: Trace, places: Places, map: CodeMap) {
    this.#sources = sources;
    this.#places = places;
    this.#map = map;
    this.#aliases = new Aliases(sources.functions);
    this.#events = [...eventsBetween(trace, 0, trace.count)];
    const seen = new Set<string>();
    const chains: StoreChain[] = [];
    for (const { kind, site, stack } of this.#events) {
      if ((kind !== "store" && kind !== "non-temporal") || seen.has(`${site} ${stack}`)) continue;
      seen.add(`${site} ${stack}`);
      const chain = this.#chainOf(places.resolver.frames(site, stack));
      if (chain !== undefined) chains.push(chain);
    }
    for (const { variable, inside, calls } of chains) this.#aliases.stored(variable, inside, calls);
  }

  /** The fix at its best place; undefined where that is where it is and there was nothing to choose. */
  hoisted(fix: Fix): Fix | undefined {
    const stores = fix.inserts.filter(({ op }) => op === "flush").flatMap((insert) => this.#contextsOf(insert));
    const found = stores.map((insert) => this.#bestPlace(insert));
    const [first] = found;
    if (first === undefined) return undefined;
    const staying = found.find((one) => one === undefined || one.level === 0);
    if (found.some((one) => one === undefined)) return undefined;
    if (staying !== undefined) return staying.candidates.length > 1 ? { ...fix, hoisted: staying } : undefined;
    const fenced = new Set(fix.inserts.filter(({ op }) => op === "fence").map(({ after }) => after.site));
    const inserts = stores.flatMap((insert, index) =>
      this.#below(insert, found[index]!.level, fenced.has(insert.after.site)),
    );
    return { ...fix, hoisted: first, inserts };
  }

  /** The store once for each way that the run comes to it and does not make it durable in time. */
  #contextsOf(insert: PatchedInsert): readonly PatchedInsert[] {
    const contexts = new Map<number, PatchedInsert>();
    for (const { from, by } of orderingsOf(insert, this.#events)) {
      const after = this.#events[from]!;
      if (!isDurableBefore(this.#events, from, by, () => false)) contexts.set(after.stack, { ...insert, after });
    }
    return [...contexts.values()].reverse();
  }

  #below(insert: PatchedInsert, level: number, isFenced: boolean): readonly PatchedInsert[] {
    const [flush, fence] = calledPatches(insert, level, this.#map) ?? [];
    assert(flush !== undefined && fence !== undefined, "a level that was found is a call of the machine");
    const flushed = { ...insert, patch: flush, level };
    return isFenced ? [flushed, { ...flushed, op: "fence", patch: fence }] : [flushed];
  }

  #bestPlace({ after, by }: PatchedInsert): Hoisted | undefined {
    const frames = this.#places.resolver.frames(after.site, after.stack);
    const chain = this.#chainOf(frames);
    // Only what the compiler has left as calls can be looked at by calls.
    const calls = this.#map.tables.contexts.stack(after.stack).length;
    if (chain === undefined || frames.length !== calls + 1) return undefined;
    const copyable = new Copies(this.#sources);
    const found = placeByScore(chain, callsBelow(frames, by?.frames ?? []), this.#aliases);
    const copied = chain.calls
      .slice(0, found.level)
      .map((call) => [this.#sources.functions.named(call.callee), call] as const);
    const why = copied
      .map(([callee, call]) => callee && copyable.whyNot(callee, call))
      .find((one) => one !== undefined);
    if (why === undefined) return found;
    const isSaid = rangeAtCall(this.#sources, frames, chain.calls.slice(0, found.level)) !== undefined;
    return { ...found, level: isSaid ? found.level : 0, why };
  }

  #chainOf(frames: readonly Frame[]): StoreChain | undefined {
    const own = this.#sources.ownFrame(frames);
    if (own === undefined || own !== frames[0]) return undefined;
    // Sources are opened as calls lead there.
    for (const { file } of frames) if (file !== undefined) this.#sources.open(file);
    const store = storeIn(this.#sources, own);
    return store && { frames, ...store, calls: callsAlong(this.#sources.functions, frames) };
  }
}
