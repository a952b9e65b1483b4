/**
 * An order of a function's blocks in which states that meet are there before what follows them is evaluated, loops unrolled: by the
 * loops around a block and how often each was gone through, outermost first, and by reverse postorder within one. Always: a step that
 * does not begin a loop anew leads to a place that comes later.
 */
import { type FunctionFlow, reversePostorder } from "../../../isa/control-flow/index.ts";

/** How often each loop around a block was gone through, outermost first. */
export type Rounds = readonly number[];

interface Loop {
  readonly header: number;
  readonly blocks: ReadonlySet<number>;
}

export class FlowOrder {
  readonly flow: FunctionFlow;
  readonly #position: ReadonlyMap<number, number>;
  readonly #loops = new Map<number, readonly Loop[]>();

  constructor(flow: FunctionFlow) {
    this.flow = flow;
    this.#position = new Map(reversePostorder(flow).map((block, index) => [block, index]));
    const loops = loopsOf(flow, this.#position);
    for (const block of flow.blocks.keys())
      this.#loops.set(
        block,
        loops.filter(({ blocks }) => blocks.has(block)),
      );
  }

  start(block: number): Rounds {
    return this.#loops.get(block)!.map(() => 0);
  }

  /** Places are compared number by number; what ends first comes first. */
  placeOf(block: number, rounds: Rounds): readonly number[] {
    const loops = this.#loops.get(block)!;
    return [
      ...loops.flatMap(({ header }, index) => [this.#position.get(header)!, rounds[index]!]),
      this.#position.get(block)!,
    ];
  }

  /** The loops that stand after a step, and whether it begins one of them anew. */
  step(from: number, rounds: Rounds, to: number): { readonly rounds: Rounds; readonly again: number | undefined } {
    const left = this.#loops.get(from)!;
    let again: number | undefined;
    const next = this.#loops.get(to)!.map((loop) => {
      const at = left.indexOf(loop);
      if (at < 0) return 0;
      if (loop.header !== to) return rounds[at]!;
      again = rounds[at]! + 1;
      return again;
    });
    return { rounds: next, again };
  }
}

/** Natural loops: of each step back, the blocks that lead to it without its target. Larger ones first. */
function loopsOf(flow: FunctionFlow, position: ReadonlyMap<number, number>): Loop[] {
  const before = new Map<number, number[]>();
  for (const [block, { successors }] of flow.blocks)
    for (const successor of successors) before.set(successor, [...(before.get(successor) ?? []), block]);
  const loops = new Map<number, Set<number>>();
  for (const [block, { successors }] of flow.blocks)
    for (const header of successors) {
      if (position.get(header)! > position.get(block)!) continue;
      const blocks = loops.get(header) ?? new Set([header]);
      loops.set(header, blocks);
      const open = [block];
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (blocks.has(at)) continue;
        blocks.add(at);
        open.push(...(before.get(at) ?? []));
      }
    }
  return [...loops].map(([header, blocks]) => ({ header, blocks })).sort((a, b) => b.blocks.size - a.blocks.size);
}
