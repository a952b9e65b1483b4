/**
 * The loops of a mapped file's code around an address of the guest. Always: addresses are the guest's; a machine that
 * stops at every entry stops before the loop's first pass, and may stop before later ones.
 */
import {
  type CodeRange,
  entriesOf,
  type FlowLoop,
  type FunctionFlow,
  liveAt,
  loopsAround,
  recoverFlow,
} from "../../isa/control-flow/index.ts";
import type { Register } from "../../isa/ir/index.ts";
import type { MappedCode } from "./resolver.ts";

export interface CodeLoop {
  readonly entries: readonly number[];
  /** Where it goes on behind the loop. */
  readonly exits: readonly number[];
  /** Registers that the code behind it may read, and those that it reads even if no call reads any. */
  readonly live: { readonly possible: readonly Register[]; readonly sure: readonly Register[] };
}

/** Innermost first; none where the function's extent is unknown. */
export function codeLoopsAround({ file, address, bias }: MappedCode): readonly CodeLoop[] {
  const ranges = file.variables.codeRangesAt(address);
  const flow = ranges?.[0] && recoverFlow(file.code, ranges[0].low, ranges as readonly CodeRange[]);
  if (flow === undefined) return [];
  return loopsAround(flow, address).map((loop) => ({
    entries: stopsBefore(flow, loop).map((entry) => entry + bias),
    exits: loop.exits.map((exit) => exit + bias),
    live: { possible: liveAt(flow, loop.exits, "possible"), sure: liveAt(flow, loop.exits, "sure") },
  }));
}

/**
 * The instruction before the loop, where that leads to nothing else than the loop or what is behind it: a stop there is met once.
 * Else the loop's first, which each of its passes may meet again.
 */
function stopsBefore(flow: FunctionFlow, loop: FlowLoop): readonly number[] {
  const entries = entriesOf(flow, loop);
  const near = new Set([...entries.keys(), ...loop.exits]);
  const stops = [...entries].flatMap(([entry, before]) => {
    const lasts = before.map((block) => lastOf(flow, block, near));
    return before.length === 0 || flow.roots.includes(entry) || lasts.includes(undefined) ? [entry] : lasts;
  });
  return [...new Set(stops)].filter((stop) => stop !== undefined);
}

function lastOf(flow: FunctionFlow, at: number, near: ReadonlySet<number>): number | undefined {
  const { block, successors } = flow.blocks.get(at)!;
  const isPlain = block.exit.kind === "goto" || block.exit.kind === "branch";
  if (!isPlain || !successors.every((successor) => near.has(successor))) return undefined;
  return block.ops.findLast((op) => op.kind === "inst")?.address;
}
