/**
 * The loops of a function around an address: blocks that all lead to each other, and inside them again without the blocks by which
 * they are entered. Always: a loop's exits are blocks outside it that one of its own leads to.
 */
import type { FunctionFlow } from "./recover.ts";

export interface FlowLoop {
  /** By their addresses. */
  readonly blocks: ReadonlySet<number>;
  readonly exits: readonly number[];
}

/** Innermost first; none where the address is in no loop, or in no block. */
export function loopsAround(flow: FunctionFlow, address: number): readonly FlowLoop[] {
  const own = [...flow.blocks].find(([, { block }]) => address >= block.start && address < block.end)?.[0];
  const before = predecessorsOf(flow);
  const loops: FlowLoop[] = [];
  let among: ReadonlySet<number> = new Set(flow.blocks.keys());
  while (own !== undefined && among.has(own)) {
    const after = (block: number) => flow.blocks.get(block)!.successors;
    const blocks = common(
      reached(own, after, among),
      reached(own, (block) => before.get(block) ?? [], among),
    );
    if (!blocks.has(own)) break;
    const exits = [...blocks].flatMap(after).filter((block) => !blocks.has(block));
    loops.unshift({ blocks, exits: [...new Set(exits)] });
    const isEntered = (block: number) =>
      flow.roots.includes(block) || (before.get(block) ?? []).some((one) => !blocks.has(one));
    among = new Set([...blocks].filter((block) => !isEntered(block)));
    // Code that nothing leads to has no way in.
    if (among.size === blocks.size) break;
  }
  return loops;
}

/** Blocks of a loop that code outside of it leads to, with the blocks that do. */
export function entriesOf(flow: FunctionFlow, { blocks }: FlowLoop): ReadonlyMap<number, readonly number[]> {
  const before = predecessorsOf(flow);
  const outside = (block: number) => (before.get(block) ?? []).filter((one) => !blocks.has(one));
  const entered = [...blocks].filter((block) => flow.roots.includes(block) || outside(block).length > 0);
  return new Map(entered.map((block) => [block, outside(block)]));
}

/** Blocks that one or more steps lead to; the first itself only if it is come back to. */
function reached(
  from: number,
  next: (block: number) => readonly number[],
  among: ReadonlySet<number>,
): ReadonlySet<number> {
  const found = new Set<number>();
  const waiting = [from];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const block of next(at))
      if (among.has(block) && !found.has(block)) {
        found.add(block);
        waiting.push(block);
      }
  return found;
}

const common = (a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> =>
  new Set([...a].filter((one) => b.has(one)));

function predecessorsOf({ blocks }: FunctionFlow): ReadonlyMap<number, readonly number[]> {
  const before = new Map<number, number[]>();
  for (const [block, { successors }] of blocks)
    for (const successor of successors) before.set(successor, [...(before.get(successor) ?? []), block]);
  return before;
}
