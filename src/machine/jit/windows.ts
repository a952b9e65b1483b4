/**
 * Accesses that share one check. Those off the same symbol (symbols.ts) with constants close together form a window:
 * the first to run, the leader, tests the pages of the whole window and leaves the answer in a local; the followers
 * test only that local. Always: every path from where the symbol gets its value to a follower passes the leader.
 * While compiled code runs permissions are only ever added, so an answer stays good, guest calls included.
 */
import { accessSize, type Op } from "../../isa/ir/index.ts";
import { pageSize } from "../runtime/index.ts";
import type { OrderedGraph } from "./graph.ts";
import type { CodeSource, Region } from "./region.ts";
import { atEntry, Symbols } from "./symbols.ts";

export interface Window {
  readonly symbol: number;
  /** Every access of it is plain stores and loads of writable pages; else only loads. */
  readonly writable: boolean;
  readonly node: number;
  /** Offsets from the symbol: the first byte, and the one after the last. */
  low: number;
  high: number;
  followers: number;
  /** The region is left where the leader's test fails, so the followers need none. */
  lean: boolean;
  /** The local with the answer, or if lean the address of the first byte, once the region's code is written. */
  local: number | undefined;
}

/** An access's part in a window. */
export interface Member {
  readonly window: Window;
  readonly offset: number;
  readonly leads: boolean;
}

export type Windows = readonly ReadonlyMap<number, Member>[];

/** True if the access's pages need no test: the leader's has passed wherever it runs. */
export const isVouchedFor = (member: Member | undefined): boolean =>
  member !== undefined && !member.leads && member.window.lean;

/** True if an access cannot leave the region: its pages fit, and it need not be aligned. */
export const cannotLeave = (op: Op, member: Member | undefined): boolean =>
  isVouchedFor(member) && !("aligned" in op && op.aligned);

interface Access {
  readonly node: number;
  readonly index: number;
  readonly symbol: number;
  readonly offset: number;
  readonly size: number;
  readonly writes: boolean;
  readonly isSlow: boolean;
}

const sizeOf = (op: Op): number | undefined => {
  if (op.kind === "load" || op.kind === "store") return accessSize[op.access];
  return op.kind === "probe" ? op.size : undefined;
};

/** For each node, its accesses that belong to a window, by op index. */
export function findWindows(region: Region, graph: OrderedGraph, source: CodeSource): Windows {
  const symbols = new Symbols(region, graph);
  const accesses = graph.order.flatMap((node) => accessesOf(region, node, symbols, source));
  const slow = new Set(accesses.flatMap(({ isSlow, symbol }) => (isSlow ? [symbol] : [])));
  const finder = new WindowFinder(graph, symbols, slow);
  const members: Map<number, Member>[] = region.nodes.map(() => new Map());
  for (const access of accesses) members[access.node]!.set(access.index, finder.place(access));
  for (const list of members) for (const [index, { window }] of list) if (window.followers === 0) list.delete(index);
  return members;
}

/** The node's accesses whose address is a symbol plus a constant. */
function accessesOf(region: Region, node: number, symbols: Symbols, source: CodeSource): readonly Access[] {
  const block = region.nodes[node]?.block;
  if (!block) return [];
  const values = symbols.values(node);
  const accesses: Access[] = [];
  let isSlow = false;
  for (const [index, op] of block.ops.entries()) {
    if (op.kind === "inst") isSlow = source.isSlow?.(op.address) === true;
    const size = sizeOf(op);
    const address = "address" in op ? op.address : undefined;
    const value = values[address as number];
    // A constant address has a cheap test of its own.
    if (size === undefined || !value || block.ops[address as number]!.kind === "const") continue;
    accesses.push({ node, index, ...value, size, writes: op.kind !== "load", isSlow });
  }
  return accesses;
}

class WindowFinder {
  readonly #graph: OrderedGraph;
  readonly #symbols: Symbols;
  /** Symbols with accesses that often cannot go straight to memory. */
  readonly #slow: ReadonlySet<number>;
  readonly #windows = new Map<number, Window[]>();
  readonly #reached = new Map<string, ReadonlySet<number>>();

  constructor(graph: OrderedGraph, symbols: Symbols, slow: ReadonlySet<number>) {
    this.#graph = graph;
    this.#symbols = symbols;
    this.#slow = slow;
  }

  place(access: Access): Member {
    // Stack pages are plain and writable, so there one answer serves loads too.
    const writable = access.writes || access.symbol === this.#symbols.entryStack;
    const list = this.#windows.get(access.symbol) ?? [];
    this.#windows.set(access.symbol, list);
    for (const window of list.toReversed()) {
      if (!this.#serves(window, writable) || !this.#covers(window, access.node)) continue;
      const low = Math.min(window.low, access.offset);
      const high = Math.max(window.high, access.offset + access.size);
      if (high - low > pageSize) continue;
      const lean = window.lean && !access.isSlow;
      Object.assign(window, { low, high, lean, followers: window.followers + 1 });
      return { window, offset: access.offset, leads: false };
    }
    const { symbol, offset, size, node } = access;
    const range = { low: offset, high: offset + size };
    const window: Window = { symbol, writable, node, ...range, followers: 0, lean: !access.isSlow, local: undefined };
    list.push(window);
    return { window, offset, leads: true };
  }

  /** What may be written plainly may be read, but persistent memory is read plainly and not written so. */
  #serves(window: Window, writable: boolean): boolean {
    return window.writable === writable || (window.writable && !this.#slow.has(window.symbol));
  }

  /** True if the leader has run, since the symbol last changed, whenever `node` does. */
  #covers({ symbol, node: leader }: Window, node: number): boolean {
    if (leader === node) return true;
    if (!this.#dominates(leader, node)) return false;
    const home = this.#symbols.nodeOf(symbol);
    return home === atEntry || home === leader || !this.#reachedAvoiding(home, leader).has(node);
  }

  #dominates(above: number, node: number): boolean {
    const { position, dominator } = this.#graph;
    let at = node;
    while (position[at]! > position[above]!) at = dominator[at]!;
    return at === above;
  }

  /** Nodes that can be reached from `start`, itself included, without entering `avoided`. */
  #reachedAvoiding(start: number, avoided: number): ReadonlySet<number> {
    const key = `${start} ${avoided}`;
    const known = this.#reached.get(key);
    if (known) return known;
    const reached = new Set([start]);
    for (const node of reached) for (const { to } of this.#graph.edges[node]!) if (to !== avoided) reached.add(to);
    this.#reached.set(key, reached);
    return reached;
  }
}
