/**
 * What holds at each block's start: which kind of flags is pending, and whether anybody may look at the flags there.
 * Flags are looked at by every op that may leave the region, by every fuel check and by every way out, because all of
 * them write the guest's state to memory.
 */
import { type Block, carryNoted, flagsCode, type Op } from "../../isa/ir/index.ts";
import type { FuelPlan } from "./fuel.ts";
import type { OrderedGraph } from "./graph.ts";
import type { Region, RegionNode } from "./region.ts";
import { cannotLeave, type Windows } from "./windows.ts";

/** A flags code (isa/ir/flags.ts) that is certain, with `carryNoted` if CF and OF lie beside it, or one of these. */
export const inMemory = -1;
export const unknownFlags = -2;
const unvisited = -3;
export type FlagsState = number;

export interface Flow {
  readonly flagsIn: Int32Array;
  /** Indices of flags and carry ops that the next flags op overwrites unseen. */
  readonly deadFlags: readonly ReadonlySet<number>[];
}

export type FlagsOp = Op & { readonly kind: "flags" | "carry" };
const isFlagsOp = (op: Op): op is FlagsOp => op.kind === "flags" || op.kind === "carry";

export const afterFlagsOp = (op: FlagsOp, before: FlagsState): FlagsState => {
  // Memory's flags are changed there; what is unknown stays so.
  if (op.kind === "carry") {
    if (before < 0 || before & carryNoted) return before;
    return op.when === undefined ? before | carryNoted : unknownFlags;
  }
  const code = flagsCode(op.flags, op.width);
  return op.when === undefined || before === code ? code : unknownFlags;
};

export function analyseFlow(region: Region, graph: OrderedGraph, fuel: FuelPlan, windows: Windows): Flow {
  return { flagsIn: reachingFlags(region, graph), deadFlags: findDeadFlags(region, graph, fuel, windows) };
}

/** A block that ends with all of the guest's state in memory: a call that is really made, or a machine-made instruction. */
export const endsInMemory = (node: RegionNode | undefined): boolean =>
  node?.block.exit.kind === "complex" || (node?.block.exit.kind === "call" && !node.inlined);

/** True if the block's end cannot leave the region. */
function staysInside({ block, ways, inlined }: RegionNode): boolean {
  const { exit } = block;
  const isDirect =
    exit.kind === "goto" || exit.kind === "branch" || (inlined && exit.kind === "call" && exit.known !== undefined);
  return isDirect && ways.every(({ node }) => node !== undefined);
}

function reachingFlags(region: Region, graph: OrderedGraph): Int32Array {
  const flagsIn = new Int32Array(graph.edges.length).fill(unvisited);
  flagsIn[0] = inMemory;
  const through = (node: number): FlagsState => {
    const block = region.nodes[node]?.block;
    if (endsInMemory(region.nodes[node])) return inMemory;
    let state = flagsIn[node]!;
    for (const op of block?.ops ?? []) if (isFlagsOp(op)) state = afterFlagsOp(op, state);
    return state;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of graph.order) {
      if (flagsIn[node] === unvisited) continue;
      const out = through(node);
      for (const { to } of graph.edges[node]!) {
        const known = flagsIn[to]!;
        const merged = known === unvisited || known === out ? out : unknownFlags;
        if (merged === known) continue;
        flagsIn[to] = merged;
        changed = true;
      }
    }
  }
  return flagsIn;
}

const observers: ReadonlySet<Op["kind"]> = new Set([
  "load", "store", "probe", "trap", "flush", "fence", "call", "flag", "condition",
] as const); // biome-ignore format: one list

/** Scans a block backwards from whether its end looks at the flags; returns whether its start does. */
function scanFlags(block: Block, members: Windows[number], liveOut: boolean, dead?: Set<number>): boolean {
  let live = liveOut;
  for (let i = block.ops.length - 1; i >= 0; i--) {
    const op = block.ops[i]!;
    if (observers.has(op.kind) && !cannotLeave(op, members.get(i))) live = true;
    if (!isFlagsOp(op)) continue;
    if (!live) dead?.add(i);
    else if (op.kind === "flags" && op.when === undefined) live = false;
  }
  return live;
}

function findDeadFlags(region: Region, graph: OrderedGraph, fuel: FuelPlan, windows: Windows): Set<number>[] {
  const liveIn = new Uint8Array(graph.edges.length);
  const liveOut = (node: number): boolean => {
    return !staysInside(region.nodes[node]!) || graph.edges[node]!.some(({ to }) => liveIn[to]);
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of graph.order.toReversed()) {
      const live =
        node >= graph.firstDispatch ||
        fuel.isChecked[node] ||
        scanFlags(region.nodes[node]!.block, windows[node]!, liveOut(node));
      if (!live || liveIn[node]) continue;
      liveIn[node] = 1;
      changed = true;
    }
  }
  return region.nodes.map(({ block }, node) => {
    const dead = new Set<number>();
    scanFlags(block, windows[node]!, liveOut(node), dead);
    return dead;
  });
}
