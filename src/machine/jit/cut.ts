/**
 * Cuts blocks where they run into a loop. Blocks are found by running: the one that falls into a loop from above holds a
 * copy of the loop's first block, so that the loop seems to be left before it is entered, and has two entries where the
 * code has one. Always: a cut block does what it did, because guest state is complete between instructions.
 */
import type { Block, Op } from "../../isa/ir/index.ts";
import type { Region, RegionNode } from "./region.ts";

export function cutAtLoops(region: Region): Region {
  const headers = loopHeaders(region.nodes);
  const nodes = region.nodes.map((node) => {
    const header = headers.find((at) => endsAs(node, region.nodes[at]!));
    return header === undefined ? node : cutBefore(node, header, region.nodes[header]!.block.start);
  });
  return { ...region, nodes };
}

/** Nodes that something at a higher address, or they themselves, jump back to; in order of address. */
function loopHeaders(nodes: readonly RegionNode[]): number[] {
  const headers = new Set<number>();
  for (const { block, ways } of nodes)
    for (const { node } of ways) if (node !== undefined && nodes[node]!.block.start <= block.start) headers.add(node);
  return [...headers].sort((a, b) => nodes[a]!.block.start - nodes[b]!.block.start);
}

/** True if `header` is the last part of `node`: the same instructions, and the same ways out of it. */
function endsAs({ block, ways, inlined }: RegionNode, header: RegionNode): boolean {
  if (header.block.start <= block.start || header.block.end !== block.end || header.inlined !== inlined) return false;
  if (!block.ops.some((op) => beginsAt(op, header.block.start))) return false;
  return ways.length === header.ways.length && ways.every(({ node }, way) => node === header.ways[way]!.node);
}

const beginsAt = (op: Op, address: number): boolean => op.kind === "inst" && op.address === address;

function cutBefore(node: RegionNode, header: number, address: number): RegionNode {
  const { block } = node;
  const ops = block.ops.slice(
    0,
    block.ops.findIndex((op) => beginsAt(op, address)),
  );
  const instructions = ops.filter(({ kind }) => kind === "inst").length;
  const cut: Block = { start: block.start, end: address, instructions, ops, exit: { kind: "goto", target: address } };
  return { block: cut, ways: [{ address, node: header }], inlined: false, executions: node.executions };
}
