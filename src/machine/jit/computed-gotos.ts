/**
 * Interpreters whose instructions each end with a jump of their own: computed gotos, or a `switch` that the compiler copied
 * to the ends of its cases. There is no place that all of them come by, and how a jump finds its target (a table at a fixed
 * place, one in a register, pointers in the interpreted code) differs. What they have in common is seen as they run: several
 * jumps to many places, in one loop.
 */
import { components, type Edge } from "./graph.ts";
import type { CodeSource } from "./region.ts";
import { hubTargets, placesOf, waysWithin } from "./targets.ts";

export interface ComputedGotos {
  /** Blocks that end with one of the jumps. */
  readonly jumps: ReadonlySet<number>;
  /** Where they went, the hottest first. */
  readonly targets: readonly number[];
}

/** Blocks that are looked at to find a first such jump, and then all of them. */
const nearby = 200;
const maxBlocks = 4000;
/** A jump that went to fewer places may be any. */
const manyPlaces = 3;
/** CPython's loop has hundreds: as one function it takes V8 longer than it gains in a run of seconds. */
const mostJumps = 40;

/** The computed gotos of the loop around a block, if it is one of their targets. */
export function computedGotos(start: number, source: CodeSource): ComputedGotos | undefined {
  if (!leadsToGoto(start, source)) return undefined;
  const blocks = reachable(start, source, maxBlocks);
  const loop = loopOf(start, blocks);
  const jumps = new Set([...loop].filter((at) => blocks.get(at)!.isJump));
  const spread = [...jumps].filter((at) => blocks.get(at)!.ways.length > manyPlaces);
  if (spread.length === 0 || jumps.size > mostJumps) return undefined;
  if (spread.some((at) => hubTargets(source.blockAt(at)!, source).length > 0)) return undefined;
  const targets = new Set([...jumps].flatMap((at) => blocks.get(at)!.ways));
  if (!targets.has(start)) return undefined;
  const ordered = [...targets].sort((a, b) => source.executions(b) - source.executions(a) || a - b);
  return { jumps, targets: ordered };
}

interface Seen {
  readonly isJump: boolean;
  readonly ways: readonly number[];
}

/** Blocks of a function from one of them on; calls come back. */
function reachable(start: number, source: CodeSource, limit: number): ReadonlyMap<number, Seen> {
  const found = new Map<number, Seen>();
  const waiting = new Set([start]);
  for (const at of waiting) {
    const block = source.blockAt(at);
    if (!block) continue;
    const isJump = block.exit.kind === "jump";
    const ways = (isJump ? placesOf(block, source) : waysWithin(block.exit)).filter((to) => source.blockAt(to));
    found.set(at, { isJump, ways });
    if (found.size >= limit) break;
    for (const to of ways) waiting.add(to);
  }
  return found;
}

const leadsToGoto = (start: number, source: CodeSource): boolean =>
  [...reachable(start, source, nearby).values()].some(({ isJump, ways }) => isJump && ways.length > manyPlaces);

/** The blocks that lead to `start` and that it leads to. */
function loopOf(start: number, blocks: ReadonlyMap<number, Seen>): ReadonlySet<number> {
  const addresses = [...blocks.keys()];
  const numbers = new Map(addresses.map((address, i) => [address, i]));
  const edges = [...blocks.values()].map(({ ways }) =>
    ways.flatMap((way): Edge[] => (numbers.has(way) ? [{ to: numbers.get(way)!, label: undefined }] : [])),
  );
  const first = numbers.get(start)!;
  const loop = components(edges, new Set(numbers.values())).find((nodes) => nodes.includes(first))!;
  return new Set(loop.map((node) => addresses[node]!));
}
