/** A loop inside a loop, entered from above: as it was run it has two entries, cut it has one. */
import { expect, test } from "vitest";
import { assemble } from "../../../test/support/assemble.ts";
import { liftBlock } from "../../isa/lift/index.ts";
import { cutAtLoops } from "./cut.ts";
import { findIrreducible } from "./graph.ts";
import { type CodeSource, type Region, selectRegion } from "./region.ts";

const start = 0x40_0000;
const bytes = assemble(
  `
    mov ecx, 10
  outer: xor eax, eax
    mov edx, 5
  inner: add eax, edx
    dec edx
    jne inner
    add ebx, eax
    dec ecx
    jne outer
    syscall`,
  start,
);
const blockAt = (address: number) => liftBlock(bytes.subarray(address - start), address);
const source: CodeSource = { blockAt, executions: () => 1, slotOf: () => undefined };
const limits = {
  blocks: 200,
  instructions: 2000,
  inlineInstructions: 60,
  inlineDepth: 3,
  settledInstructions: Number.POSITIVE_INFINITY,
  coldFactor: 1000,
  hub: { blocks: 200, instructions: 2000 },
};

const outer = start + 5;
const [prologue, loop] = [blockAt(start)!, blockAt(outer)!];
const inner = loop.exit.kind === "branch" ? loop.exit.target : 0;
const isIrreducible = ({ nodes }: Region) =>
  findIrreducible(nodes.map(({ ways }) => ways.flatMap(({ node }) => (node === undefined ? [] : [node])))) !==
  undefined;

test("blocks that fall into a loop end before it", () => {
  const region = selectRegion(start, source, limits);
  expect(isIrreducible(region)).toBe(true);
  const cut = cutAtLoops(region);
  expect(isIrreducible(cut)).toBe(false);
  const next = (from: number) => {
    const { block, ways } = cut.nodes.find(({ block: { start } }) => start === from)!;
    return { instructions: block.instructions, exit: block.exit, to: cut.nodes[ways[0]!.node!]!.block.start };
  };
  expect(prologue.instructions).toBe(6);
  expect(next(start)).toEqual({ instructions: 1, exit: { kind: "goto", target: outer }, to: outer });
  expect(next(outer)).toEqual({ instructions: 2, exit: { kind: "goto", target: inner }, to: inner });
});

test("blocks that run into no loop stay as they are", () => {
  const region = selectRegion(inner, { ...source, blockAt: (at) => (at === outer ? undefined : blockAt(at)) }, limits);
  expect(cutAtLoops(region)).toEqual(region);
});
