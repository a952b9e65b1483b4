/**
 * Makes loops that are entered at several nodes enter at one, by copying nodes: whoever comes from outside to another
 * entry gets a copy of it. Compilers jump into the middle of a loop to reach its test first, and regions may start
 * anywhere, so this is common, and mostly takes a copy or two. What would take many is left to dispatch (graph.ts).
 */
import { findIrreducible, type IrreducibleLoop } from "./graph.ts";
import type { Region, RegionNode } from "./region.ts";

const maxCopies = 16;
const maxCopiedInstructions = 200;

const successorsOf = (nodes: readonly RegionNode[]): number[][] =>
  nodes.map(({ ways }) => ways.flatMap(({ node }) => (node === undefined ? [] : [node])));

export function splitIrreducible(region: Region): Region {
  const nodes = [...region.nodes];
  for (let copies = 0, copied = 0; copies < maxCopies; copies++) {
    const loop = findIrreducible(successorsOf(nodes));
    if (!loop) return { ...region, nodes };
    const entry = cheapestEntry(nodes, loop);
    copied += nodes[entry]!.block.instructions;
    if (copied > maxCopiedInstructions) break;
    copyFor(nodes, loop, entry);
  }
  return region;
}

/** The hottest entry stays the loop's header; of the others, the shortest. */
function cheapestEntry(nodes: readonly RegionNode[], { entries }: IrreducibleLoop): number {
  const [, ...others] = entries.toSorted((a, b) => nodes[b]!.executions - nodes[a]!.executions || a - b);
  return others.toSorted((a, b) => nodes[a]!.block.instructions - nodes[b]!.block.instructions || a - b)[0]!;
}

/** Edges from outside the loop to `entry` go to a copy of it. */
function copyFor(nodes: RegionNode[], loop: IrreducibleLoop, entry: number): void {
  const copy = nodes.length;
  nodes.push(nodes[entry]!);
  for (const [i, node] of nodes.entries()) {
    if (i === copy || loop.nodes.has(i) || !node.ways.some((way) => way.node === entry)) continue;
    nodes[i] = { ...node, ways: node.ways.map((way) => (way.node === entry ? { ...way, node: copy } : way)) };
  }
}
