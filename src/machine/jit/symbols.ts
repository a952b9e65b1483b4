/**
 * What addresses have in common: every 64-bit value as a symbol plus a constant, over a whole region. A symbol stands
 * for one value that stays the same until its node runs again: a register at the region's start, a register where
 * paths with different values meet, or what an op computed. Equal expressions over equal symbols are one symbol.
 */
import { control, gprs, type Op, opArgs, type Register } from "../../isa/ir/index.ts";
import { endsInMemory } from "./flow.ts";
import type { OrderedGraph } from "./graph.ts";
import type { Region } from "./region.ts";

/** Where a symbol gets its value: once at the region's start, or each time the node runs. */
export const atEntry = -1;

export interface Symbolic {
  readonly symbol: number;
  readonly offset: number;
}

/** Constants beyond this are not worth following. */
const maxOffset = 0x4000_0000;
const maxKeyLength = 200;
const tracked: readonly Register[] = [...gprs, control.fsBase, control.gsBase];
export const stackPointer = gprs[4]!;

const isEqual = (a: Symbolic, b: Symbolic): boolean => a.symbol === b.symbol && a.offset === b.offset;

type State = ReadonlyMap<Register, Symbolic>;

export class Symbols {
  readonly #region: Region;
  readonly #graph: OrderedGraph;
  readonly #ids = new Map<string, number>();
  readonly #nodes: number[] = [];
  readonly #states: (State | undefined)[] = [];
  /** Constants are this plus an offset. */
  readonly #zero: number;
  /** The stack pointer as it was at the region's start. */
  readonly entryStack: number;

  constructor(region: Region, graph: OrderedGraph) {
    this.#region = region;
    this.#graph = graph;
    this.#zero = this.#symbol("zero", atEntry);
    this.#states[0] = new Map(
      tracked.map((register) => [register, { symbol: this.#symbol(`entry ${register.name}`, atEntry), offset: 0 }]),
    );
    this.entryStack = this.#states[0].get(stackPointer)!.symbol;
    this.#solve();
  }

  /** The node that gives the symbol its value, or `atEntry`. */
  nodeOf(symbol: number): number {
    return this.#nodes[symbol]!;
  }

  #symbol(key: string, node: number): number {
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#nodes.length;
      this.#ids.set(key, id);
      this.#nodes.push(node);
    }
    return id;
  }

  #solve(): void {
    const waiting = new Set([0]);
    for (const node of waiting) {
      waiting.delete(node);
      const out = this.#through(node);
      for (const { to } of this.#graph.edges[node]!) if (this.#meet(to, out)) waiting.add(to);
    }
  }

  /** True if what is known at the node's start changed. */
  #meet(node: number, incoming: State): boolean {
    const known = this.#states[node];
    const merged = new Map<Register, Symbolic>();
    let changed = known === undefined;
    for (const register of tracked) {
      const [was, now] = [known?.get(register), incoming.get(register)];
      const agrees = now !== undefined && (was === undefined || isEqual(was, now));
      const next = agrees ? now : { symbol: this.#symbol(`${register.name} at ${node}`, node), offset: 0 };
      if (was && !isEqual(was, next)) changed = true;
      merged.set(register, next);
    }
    if (changed) this.#states[node] = merged;
    return changed;
  }

  #through(node: number): State {
    const regionNode = this.#region.nodes[node];
    const state = new Map(this.#states[node]!);
    if (!regionNode) return state;
    this.values(node, state);
    if (!endsInMemory(regionNode)) return state;
    if (regionNode.block.exit.kind === "complex") return new Map();
    // The callee may change every register; only the stack pointer is checked after the call.
    const stack = state.get(stackPointer)!;
    return new Map([[stackPointer, { ...stack, offset: stack.offset + 8 }]]);
  }

  /** The symbolic value of each op of the node that has a 64-bit one. `state` is carried along from the node's start. */
  values(node: number, state: Map<Register, Symbolic> = new Map(this.#states[node]!)): (Symbolic | undefined)[] {
    const { ops } = this.#region.nodes[node]!.block;
    const values: (Symbolic | undefined)[] = [];
    const keys: string[] = [];
    for (const [i, op] of ops.entries()) {
      if (op.kind === "put") {
        const value = values[op.value];
        if (value && state.has(op.register)) state.set(op.register, value);
        else if (state.has(op.register)) state.set(op.register, this.#opaque(node, i));
        continue;
      }
      const value = this.#valueOf(op, i, node, { values, keys, state });
      values[i] = value;
      keys[i] = value && value.symbol !== this.#zero ? `${value.symbol}+${value.offset}` : (keys[i] ?? `${node}:${i}`);
    }
    return values;
  }

  #opaque(node: number, index: number): Symbolic {
    return { symbol: this.#symbol(`${node}:${index}`, node), offset: 0 };
  }

  #valueOf(op: Op, index: number, node: number, known: Known): Symbolic | undefined {
    if (op.kind === "get") return known.state.get(op.register);
    if (op.kind === "const") {
      known.keys[index] = `${op.type}${op.value}`;
      const isOffset = op.type === "i64" && op.value < maxOffset && op.value > -maxOffset;
      return isOffset ? { symbol: this.#zero, offset: Number(op.value) } : undefined;
    }
    if (op.kind !== "pure" || op.lane !== undefined)
      return op.kind === "load" && op.access === "i64.load" ? this.#opaque(node, index) : undefined;
    const sum = this.#plusConstant(op, known);
    if (sum) return sum;
    const key = `${op.op}(${opArgs(op).map((value) => known.keys[value])})`;
    // Keys of nested expressions grow with every use of a part: a long one is not worth comparing.
    if (key.length > maxKeyLength) return op.op.startsWith("i64.") ? this.#opaque(node, index) : undefined;
    known.keys[index] = key;
    if (!op.op.startsWith("i64.")) return undefined;
    const home = this.#home(key, node);
    return { symbol: this.#symbol(home === undefined ? `${node}:${key}` : key, home ?? node), offset: 0 };
  }

  /** x ± constant. */
  #plusConstant(op: Op & { kind: "pure" }, { values }: Known): Symbolic | undefined {
    if (op.op !== "i64.add" && op.op !== "i64.sub") return undefined;
    const [left, right] = op.args.map((value) => values[value]);
    if (!left || !right) return undefined;
    const sign = op.op === "i64.add" ? 1 : -1;
    const base = right.symbol === this.#zero ? left : left.symbol === this.#zero && sign === 1 ? right : undefined;
    const offset = left.offset + sign * right.offset;
    return base && Math.abs(offset) < maxOffset ? { symbol: base.symbol, offset } : undefined;
  }

  /** The one node that all symbols of an expression come from; undefined if there are several. */
  #home(key: string, node: number): number | undefined {
    let home = atEntry;
    for (const [, symbol, local] of key.matchAll(/[(,](?:(\d+)\+|(\d+:))/g)) {
      const from = local !== undefined ? node : this.#nodes[Number(symbol)]!;
      if (from === atEntry || from === home) continue;
      if (home !== atEntry) return undefined;
      home = from;
    }
    return home;
  }
}

interface Known {
  readonly values: readonly (Symbolic | undefined)[];
  readonly keys: string[];
  readonly state: ReadonlyMap<Register, Symbolic>;
}
