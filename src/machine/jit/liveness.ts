/**
 * Which registers matter where. A register is dirty from its `put` until its value is in memory; what may be dirty at a
 * way out is written there. It is live where its local's value is still needed, by a `get` or by such a write; only
 * live registers are loaded when the region starts and after guest calls.
 */
import { type Op, registers } from "../../isa/ir/index.ts";
import { endsInMemory } from "./flow.ts";
import type { FuelPlan } from "./fuel.ts";
import { loopBody, type OrderedGraph } from "./graph.ts";
import type { Region, RegionNode } from "./region.ts";
import { bitOf, type RegisterSet } from "./register-sets.ts";
import { stackPointer } from "./symbols.ts";
import { cannotLeave, type Windows } from "./windows.ts";

export interface Liveness {
  /** At each node's start. */
  readonly dirtyIn: readonly RegisterSet[];
  readonly liveIn: readonly RegisterSet[];
  /** Every set that is dirty at some rare way out. */
  readonly dirtyAtExits: ReadonlySet<RegisterSet>;
}

const leaving: ReadonlySet<Op["kind"]> = new Set(["load", "store", "probe", "trap", "flush", "fence"] as const);
const mayLeave = (op: Op, index: number, members: Windows[number]): boolean =>
  leaving.has(op.kind) && !cannotLeave(op, members.get(index));

export function analyseLiveness(region: Region, graph: OrderedGraph, fuel: FuelPlan, windows: Windows): Liveness {
  const dirtyIn = findDirty(region, graph);
  const dirtyAtExits = new Set<RegisterSet>();
  for (const [node, { block }] of region.nodes.entries()) {
    let dirty = dirtyIn[node]!;
    if (fuel.isChecked[node]) dirtyAtExits.add(dirty);
    for (const [i, op] of block.ops.entries()) {
      if (mayLeave(op, i, windows[node]!)) dirtyAtExits.add(dirty);
      if (op.kind === "put") dirty |= bitOf(op.register);
    }
    dirtyAtExits.add(dirty);
  }
  return { dirtyIn, liveIn: findLive(region, graph, { fuel, windows, dirtyIn }), dirtyAtExits };
}

const puts = ({ block }: RegionNode): RegisterSet =>
  block.ops.reduce((set, op) => (op.kind === "put" ? set | bitOf(op.register) : set), 0n);

/**
 * Where paths meet, a register that is dirty on some of them only counts as dirty if its value is still read; else it is
 * written to memory on the edges where it is dirty. A loop without guest calls keeps all of them, so as not to write
 * in every round; so does a hub's, most of whose rounds call nothing.
 */
function findDirty(region: Region, graph: OrderedGraph): RegisterSet[] {
  const written = region.nodes.map(puts);
  const dirtyIn = graph.edges.map(() => 0n);
  const outOf = (node: number): RegisterSet =>
    endsInMemory(region.nodes[node]) ? 0n : dirtyIn[node]! | (written[node] ?? 0n);
  const solve = (keeps: (node: number) => RegisterSet) => {
    for (let changed = true; changed; ) {
      changed = false;
      for (const node of graph.order) {
        const incoming = graph.predecessors[node]!.map(outOf);
        if (node === 0) incoming.push(0n);
        const some = incoming.reduce((set, out) => set | out, 0n);
        const all = incoming.reduce((set, out) => set & out, allRegisters);
        const dirty = (some & keeps(node)) | all;
        if (dirty === dirtyIn[node]) continue;
        dirtyIn[node] = dirty;
        changed = true;
      }
    }
  };
  // First all that may be dirty at all, then downwards from there.
  solve(() => allRegisters);
  const kept = keptAtMeetings(region, graph);
  solve((node) => kept[node]!);
  return dirtyIn;
}

const allRegisters: RegisterSet = (1n << BigInt(registers.length)) - 1n;

/** For each node, the registers that stay dirty there although some path has them in memory. */
function keptAtMeetings(region: Region, graph: OrderedGraph): RegisterSet[] {
  const read = graph.edges.map(() => 0n);
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of graph.order.toReversed()) {
      const regionNode = region.nodes[node];
      const after = graph.edges[node]!.reduce((set, { to }) => set | read[to]!, 0n);
      const before = regionNode ? readBefore(regionNode, endsInMemory(regionNode) ? 0n : after) : after;
      if (before === read[node]) continue;
      read[node] = before;
      changed = true;
    }
  }
  return read.map((set, node) => {
    const dispatched =
      node >= graph.firstDispatch || graph.predecessors[node]!.some((from) => from >= graph.firstDispatch);
    if (dispatched) return allRegisters;
    if (!graph.isLoopHeader[node]) return set;
    if (region.isHub && node === 0) return allRegisters;
    const calls = [...loopBody(graph, node)].some((inside) => endsInMemory(region.nodes[inside]));
    return calls ? set : allRegisters;
  });
}

function readBefore({ block }: RegionNode, after: RegisterSet): RegisterSet {
  return block.ops.reduceRight((set, op) => {
    if (op.kind === "put") return set & ~bitOf(op.register);
    return op.kind === "get" ? set | bitOf(op.register) : set;
  }, after);
}

interface WaysOut {
  readonly fuel: FuelPlan;
  readonly windows: Windows;
  readonly dirtyIn: readonly RegisterSet[];
}

function findLive(region: Region, graph: OrderedGraph, ways: WaysOut): RegisterSet[] {
  const { dirtyIn } = ways;
  const liveIn = graph.edges.map(() => 0n);
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of graph.order.toReversed()) {
      const regionNode = region.nodes[node];
      const out = regionNode && !endsInMemory(regionNode) ? dirtyIn[node]! | puts(regionNode) : 0n;
      const after = graph.edges[node]!.reduce((set, { to }) => set | liveIn[to]! | (out & ~dirtyIn[to]!), 0n);
      const live = regionNode ? liveBefore(regionNode, node, after, ways) : after;
      if (live === liveIn[node]) continue;
      liveIn[node] = live;
      changed = true;
    }
  }
  return liveIn;
}

/** Backwards through a block; `after` is live in what follows inside the region. */
function liveBefore(
  node: RegionNode,
  index: number,
  after: RegisterSet,
  { fuel, windows, dirtyIn }: WaysOut,
): RegisterSet {
  const { ops, exit } = node.block;
  const dirtyBefore: RegisterSet[] = [];
  let dirty = dirtyIn[index]!;
  for (const op of ops) {
    dirtyBefore.push(dirty);
    if (op.kind === "put") dirty |= bitOf(op.register);
  }
  let live = endsInMemory(node) ? 0n : after;
  if (exit.kind !== "goto" && exit.kind !== "branch") live |= dirty;
  else if (node.ways.some(({ node: to }) => to === undefined)) live |= dirty;
  if (exit.kind === "call") live |= bitOf(stackPointer);
  for (let i = ops.length - 1; i >= 0; i--) {
    const op = ops[i]!;
    if (op.kind === "put") live &= ~bitOf(op.register);
    else if (op.kind === "get") live |= bitOf(op.register);
    else if (mayLeave(op, i, windows[index]!)) live |= dirtyBefore[i]!;
  }
  return fuel.isChecked[index] ? live | dirtyIn[index]! : live;
}
