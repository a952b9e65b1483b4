/**
 * Chooses what to compile together: from an entry along direct jumps, branches and the continuations of calls, only
 * blocks that have run, and not those that ran hardly ever: V8 takes longer than in proportion to a function's size. A call of a small function is followed too: its blocks appear once per call, in a frame of
 * their own, and its return is a jump back if the return address is the expected one.
 * Always: nodes are in order of discovery, node 0 is the entry, every node is reachable from it.
 */
import { assert } from "../base/index.ts";
import type { Block, Value } from "../ir/index.ts";
import { hubTargets, likelyTargets, waysWithin } from "./targets.ts";

/** What the compiler asks the machine. Answers must not change while a module is being compiled. */
export interface CodeSource {
  /** The translated block that starts at a guest address, if it has ever run. */
  blockAt(address: number): Block | undefined;
  /** How often it ran; 0 when nobody counted. */
  executions(address: number): number;
  /** The table slot of the region that starts there; undefined when calling it is not worthwhile. */
  slotOf(address: number): number | undefined;
  /** True if the region that starts there can be imported under its own name from the module `regions`. */
  isLinked?(address: number): boolean;
  /** Instructions of the region that starts there; 0 if there is none. */
  sizeOf?(address: number): number;
  /** Where the indirect jump or call that ends the block at `address` went so far, most frequent first. */
  targetsOf?(address: number): readonly number[];
  /** True if the access of the instruction there often cannot go straight to memory. */
  isSlow?(address: number): boolean;
  /** True if the region that starts there calls floating-point macros, which then see to MXCSR (floats.ts). */
  callsFloats?(entry: number): boolean;
  /** The 64-bit word in guest memory now, if it may be read: good for guesses at what an indirect jump will load. */
  peek?(address: number): bigint | undefined;
}

export interface RegionLimits {
  readonly blocks: number;
  readonly instructions: number;
  /** Functions up to this size are followed into; 0: none. */
  readonly inlineInstructions: number;
  readonly inlineDepth: number;
  /** A region of at least so many instructions is jumped to, not copied. */
  readonly settledInstructions: number;
  /** Blocks that ran less often than the entry by more than this factor are left out. */
  readonly coldFactor: number;
  /** A region that starts at a hub may have so many in place of those above. */
  readonly hub: { readonly blocks: number; readonly instructions: number };
}

/** An inlined call: where it returns to, and within which frame. */
interface Frame {
  readonly callee: number;
  readonly returnTo: number;
  readonly parent: Frame | undefined;
  readonly depth: number;
}

/** A way out of a block: a guest address, and the node there if it lies in the region. */
export interface Way {
  readonly address: number;
  readonly node: number | undefined;
}

export interface RegionNode {
  readonly block: Block;
  /** goto, complex: target; branch: both; jump, return: guesses; call: the callee if inlined, else the continuation. */
  readonly ways: readonly Way[];
  readonly inlined: boolean;
  readonly executions: number;
}

export interface Region {
  readonly entry: number;
  readonly nodes: readonly RegionNode[];
  /** It starts at a hub (targets.ts). */
  readonly isHub: boolean;
}

export function selectRegion(entry: number, source: CodeSource, limits: RegionLimits): Region {
  return new Selection(entry, source, limits).select();
}

/** False if the block ran hardly ever, measured by how often the region's entry did. */
export const isWarm = (address: number, entry: number, source: CodeSource, { coldFactor }: RegionLimits): boolean =>
  source.executions(address) * coldFactor >= source.executions(entry);

interface Found {
  readonly block: Block;
  readonly frame: Frame | undefined;
  inlined: boolean;
  targets: readonly { readonly address: number; readonly frame: Frame | undefined }[];
}

class Selection {
  readonly #entry: number;
  readonly #source: CodeSource;
  readonly #limits: RegionLimits;
  readonly #found: Found[] = [];
  readonly #nodeAt = new Map<Frame | undefined, Map<number, number>>();
  readonly #sizes = new Map<number, number>();
  #instructions = 0;
  readonly #isHub: boolean;

  constructor(entry: number, source: CodeSource, limits: RegionLimits) {
    this.#entry = entry;
    this.#source = source;
    this.#limits = limits;
    this.#isHub = this.#isHubAt(entry);
  }

  /** Breadth first, so that a region cut short by its limits keeps what is nearest to the entry. */
  select(): Region {
    const first = this.#source.blockAt(this.#entry);
    assert(first !== undefined, "jit: a region starts at a block that has run");
    this.#add(first, undefined);
    for (const found of this.#found) {
      found.targets = this.#targets(found);
      for (const { address, frame } of found.targets) {
        if (this.#node(address, frame) === undefined && this.#isWanted(address)) {
          const next = this.#source.blockAt(address);
          if (next && this.#hasRoom(next)) this.#add(next, frame);
        }
      }
    }
    const nodes = this.#found.map(({ block, inlined, targets }) => ({
      block,
      inlined,
      ways: targets.map(({ address, frame }) => ({ address, node: this.#node(address, frame) })),
      executions: this.#source.executions(block.start),
    }));
    return { entry: this.#entry, nodes, isHub: this.#isHub };
  }

  #node(address: number, frame: Frame | undefined): number | undefined {
    return this.#nodeAt.get(frame)?.get(address);
  }

  /** True unless the block is hardly ever run, is a hub, or starts a large region that is there already. */
  #isWanted(address: number): boolean {
    if (!isWarm(address, this.#entry, this.#source, this.#limits) || this.#isHubAt(address)) return false;
    return this.#isHub || (this.#source.sizeOf?.(address) ?? 0) < this.#limits.settledInstructions;
  }

  #isHubAt(address: number): boolean {
    const block = this.#source.blockAt(address);
    return block !== undefined && hubTargets(block, this.#source).length > 0;
  }

  #hasRoom({ instructions }: Block): boolean {
    const { blocks, instructions: most } = this.#isHub ? this.#limits.hub : this.#limits;
    return this.#found.length < blocks && this.#instructions + instructions <= most;
  }

  #add(block: Block, frame: Frame | undefined): void {
    const nodes = this.#nodeAt.get(frame) ?? new Map<number, number>();
    this.#nodeAt.set(frame, nodes.set(block.start, this.#found.length));
    this.#found.push({ block, frame, inlined: false, targets: [] });
    this.#instructions += block.instructions;
  }

  #targets(found: Found): Found["targets"] {
    const { block, frame } = found;
    const { exit } = block;
    switch (exit.kind) {
      case "goto":
        return [{ address: exit.target, frame }];
      case "branch":
        return [
          { address: exit.target, frame },
          { address: exit.otherwise, frame },
        ];
      case "jump":
        return this.#jumpTargets(block, exit.target).map((address) => ({ address, frame }));
      case "complex":
        return [{ address: exit.next, frame }];
      case "return":
        return frame ? [{ address: frame.returnTo, frame: frame.parent }] : [];
      case "call": {
        const [callee] = exit.known !== undefined ? [exit.known] : likelyTargets(block, exit.target!, this.#source);
        found.inlined = callee !== undefined && this.#inlines(callee, found);
        if (!found.inlined) return [{ address: exit.returnTo, frame }];
        const depth = (frame?.depth ?? 0) + 1;
        return [{ address: callee!, frame: { callee: callee!, returnTo: exit.returnTo, parent: frame, depth } }];
      }
      default:
        return [];
    }
  }

  #jumpTargets(block: Block, target: Value): readonly number[] {
    const isHub = this.#isHub && block.start === this.#entry;
    return isHub ? hubTargets(block, this.#source) : likelyTargets(block, target, this.#source);
  }

  #inlines(callee: number, { block, frame }: Found): boolean {
    if ((frame?.depth ?? 0) >= this.#limits.inlineDepth || callee === this.#entry) return false;
    for (let outer = frame; outer; outer = outer.parent) if (outer.callee === callee) return false;
    if (this.#source.executions(block.start) * 16 < this.#source.executions(this.#entry)) return false;
    const size = this.#sizeOf(callee);
    return size <= this.#limits.inlineInstructions && this.#instructions + size <= this.#limits.instructions;
  }

  /** Also where a jump leads, as far as that can be said. */
  #waysWithin(block: Block): readonly number[] {
    const { exit } = block;
    return exit.kind === "jump" ? likelyTargets(block, exit.target, this.#source) : waysWithin(exit);
  }

  /**
   * Instructions of the function's blocks that have run; more than any limit if it is large, has not run, or jumps who knows where. What a
   * jump leads to belongs to it, as the function behind a library's stub does: left out of a region, it would return to nobody there.
   */
  #sizeOf(callee: number): number {
    const known = this.#sizes.get(callee);
    if (known !== undefined) return known;
    const addresses = new Set([callee]);
    let size = 0;
    for (const address of addresses) {
      const block = this.#source.blockAt(address);
      if (!block) continue;
      size += block.instructions;
      if (size > this.#limits.inlineInstructions) break;
      const ways = this.#waysWithin(block);
      if (ways.length === 0 && block.exit.kind === "jump") size = Number.POSITIVE_INFINITY;
      for (const to of ways) addresses.add(to);
    }
    const result = size === 0 ? Number.POSITIVE_INFINITY : size;
    this.#sizes.set(callee, result);
    return result;
  }
}
