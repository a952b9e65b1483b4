/**
 * Makes loops that are entered at several nodes enter at one, by copying nodes: whoever comes from outside to another
 * entry goes through copies until the header. Compilers jump into the middle of a loop to reach its test first, and
 * regions may start anywhere, so this is common, and mostly takes a copy or two. What would take many is left to
 * dispatch (graph.ts).
 */
import { findIrreducible, type IrreducibleLoop } from "./graph.ts";
import type { Region, RegionNode } from "./region.ts";

const maxCopiedInstructions = 200;
/** An interpreter's loop has many others inside. */
const maxCopiedInHub = 800;

const successorsOf = (nodes: readonly RegionNode[]): number[][] =>
  nodes.map(({ ways }) => ways.flatMap(({ node }) => (node === undefined ? [] : [node])));

export function splitIrreducible(region: Region): Region {
  const nodes = [...region.nodes];
  const left = new Set<string>();
  const keyOf = ({ entries }: IrreducibleLoop): string => entries.join();
  let room = region.isHub ? maxCopiedInHub : maxCopiedInstructions;
  for (;;) {
    const loop = findIrreducible(successorsOf(nodes), (found) => !left.has(keyOf(found)));
    if (!loop) return { ...region, nodes };
    const header = hottestEntry(nodes, loop);
    const copied = untilHeader(nodes, loop, header);
    const cost = copied.reduce((sum, node) => sum + nodes[node]!.block.instructions, 0);
    if (cost > room) left.add(keyOf(loop));
    else {
      room -= cost;
      copyFor(nodes, loop, copied);
    }
  }
}

const hottestEntry = (nodes: readonly RegionNode[], { entries }: IrreducibleLoop): number =>
  entries.toSorted((a, b) => nodes[b]!.executions - nodes[a]!.executions || a - b)[0]!;

/** Nodes of the loop that can be reached from its other entries without passing the header. */
function untilHeader(nodes: readonly RegionNode[], loop: IrreducibleLoop, header: number): number[] {
  const reached = loop.entries.filter((entry) => entry !== header);
  for (const from of reached)
    for (const { node } of nodes[from]!.ways)
      if (node !== undefined && node !== header && loop.nodes.has(node) && !reached.includes(node)) reached.push(node);
  return reached;
}

/** Edges from outside the loop to a node of `copied` go to its copy, and from there to copies as far as there are any. */
function copyFor(nodes: RegionNode[], loop: IrreducibleLoop, copied: readonly number[]): void {
  const copyOf = new Map(copied.map((node, i) => [node, nodes.length + i]));
  const redirected = (node: RegionNode): RegionNode => ({
    ...node,
    ways: node.ways.map((way) => ({ ...way, node: copyOf.get(way.node!) ?? way.node })),
  });
  for (const [i, node] of nodes.entries()) if (!loop.nodes.has(i)) nodes[i] = redirected(node);
  nodes.push(...copied.map((node) => redirected(nodes[node]!)));
}
