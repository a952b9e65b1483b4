/**
 * Chooses what to compile together: from an entry along direct jumps, branches and the continuations of calls, only
 * blocks that have run. Guest calls are not followed. Always: nodes are in order of discovery, node 0 is the entry.
 */
import { assert } from "../base/index.ts";
import type { Block } from "../ir/index.ts";

/** What the compiler asks the machine. Answers must not change while a module is being compiled. */
export interface CodeSource {
  /** The translated block that starts at a guest address, if it has ever run. */
  blockAt(address: number): Block | undefined;
  /** How often it ran; 0 when nobody counted. */
  executions(address: number): number;
  /** The table slot of the region that starts there; undefined when calling it is not worthwhile. */
  slotOf(address: number): number | undefined;
  /** Where the indirect jump or call that ends the block at `address` went so far, most frequent first. */
  targetsOf?(address: number): readonly number[];
}

export interface RegionLimits {
  readonly blocks: number;
  readonly instructions: number;
}

export interface RegionNode {
  readonly block: Block;
  /** Node or undefined (leaves the region) for each way out, in the order of `waysOut`. */
  readonly successors: readonly (number | undefined)[];
  readonly executions: number;
}

export interface Region {
  readonly entry: number;
  readonly nodes: readonly RegionNode[];
}

/** Guest addresses a block may continue at within its function. */
export function waysOut(block: Block, source: CodeSource): readonly number[] {
  const { exit } = block;
  switch (exit.kind) {
    case "goto":
      return [exit.target];
    case "branch":
      return [exit.target, exit.otherwise];
    case "call":
      return [exit.returnTo];
    case "jump":
      return source.targetsOf?.(block.start) ?? [];
    default:
      return [];
  }
}

/** Breadth first, so that a region cut short by its limits keeps what is nearest to the entry. */
export function selectRegion(entry: number, source: CodeSource, limits: RegionLimits): Region {
  const first = source.blockAt(entry);
  assert(first !== undefined, "jit: a region starts at a block that has run");
  const blocks: Block[] = [first];
  const nodeAt = new Map([[entry, 0]]);
  let instructions = first.instructions;
  for (const block of blocks) {
    for (const address of waysOut(block, source)) {
      if (nodeAt.has(address)) continue;
      const next = source.blockAt(address);
      if (!next || blocks.length >= limits.blocks || instructions + next.instructions > limits.instructions) continue;
      nodeAt.set(address, blocks.length);
      blocks.push(next);
      instructions += next.instructions;
    }
  }
  const nodes = blocks.map((block) => ({
    block,
    successors: waysOut(block, source).map((address) => nodeAt.get(address)),
    executions: source.executions(block.start),
  }));
  return { entry, nodes };
}
