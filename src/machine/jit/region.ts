/**
 * Chooses what to compile together: from an entry along direct jumps, branches and the continuations of calls, only
 * blocks that have run, and not those that ran hardly ever: V8 takes longer than in proportion to a function's size. A call of a small function is followed too: its blocks appear once per call, in a frame of
 * their own, and its return is a jump back if the return address is the expected one.
 * Always: nodes are in order of discovery, node 0 is the entry, every node is reachable from it.
 */
import { assert } from "../../base/index.ts";
import type { Block, Register, Value } from "../../isa/ir/index.ts";
import { type ComputedGotos, computedGotos } from "./computed-gotos.ts";
import { hubTargets, likelyTargets, switchTargets, waysWithin } from "./targets.ts";

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
  /** True if the block there is part of a loop with computed gotos that has a region already, and is to have one of its own. */
  isAlone?(entry: number): boolean;
  /** Where the computed gotos of the region that starts there are known to lead, beside what was seen of them. */
  entriesOf?(entry: number): readonly number[];
  /** What a general register holds now: a guess at where a loop keeps the address of its table. */
  registerNow?(register: Register): bigint | undefined;
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

/** A function of so many instructions takes no more code than calling it does, so that it is inlined wherever it is warm. */
const asLongAsACall = 32;

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
  /** It starts at a hub (targets.ts), or has computed gotos. */
  readonly isHub: boolean;
  /** With computed gotos: node 0 is where they meet, and stands for no code. It goes on at CPU.rip, one of these addresses. */
  readonly entries: readonly number[];
}

/** In place of the block where computed gotos meet. */
export const meeting: Block = {
  start: -1,
  end: -1,
  instructions: 0,
  ops: [{ kind: "const", type: "i64", value: 0n }],
  exit: { kind: "jump", target: 0 as Value },
};

export function selectRegion(entry: number, source: CodeSource, limits: RegionLimits): Region {
  return new Selection(entry, source, limits).select();
}

/** False if the block ran hardly ever, measured by how often the region's entry did. */
export const isWarm = (address: number, entry: number, source: CodeSource, { coldFactor }: RegionLimits): boolean =>
  source.executions(address) * coldFactor >= source.executions(entry);

interface Size {
  readonly blocks: number;
  readonly instructions: number;
}

const boundless: Size = { blocks: Number.POSITIVE_INFINITY, instructions: Number.POSITIVE_INFINITY };

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
  readonly #sizes = new Map<number, Size>();
  /** What was added, and what inlined functions will add. */
  #taken: Size = { blocks: 0, instructions: 0 };
  readonly #isHub: boolean;
  readonly #gotos: ComputedGotos | undefined;

  constructor(entry: number, source: CodeSource, limits: RegionLimits) {
    this.#entry = entry;
    this.#source = source;
    this.#limits = limits;
    const isHub = this.#isHubAt(entry);
    this.#gotos = isHub || source.isAlone?.(entry) ? undefined : computedGotos(entry, source);
    this.#isHub = isHub || this.#gotos !== undefined;
  }

  /** Breadth first, so that a region cut short by its limits keeps what is nearest to the entry. */
  select(): Region {
    const first = this.#source.blockAt(this.#entry);
    assert(first !== undefined, "jit: a region starts at a block that has run");
    this.#add(this.#gotos === undefined ? first : meeting, undefined);
    for (const found of this.#found) {
      found.targets = this.#targets(found);
      for (const { address, frame } of found.targets) {
        if (this.#node(address, frame) === undefined && this.#isWanted(address, frame)) {
          const next = this.#source.blockAt(address);
          if (next && this.#hasRoom(next, frame)) this.#add(next, frame);
        }
      }
    }
    const nodes = this.#found.map(({ block, inlined, targets }) => ({
      block,
      inlined,
      ways: targets.map(({ address, frame }) => ({ address, node: this.#node(address, frame) })),
      executions: this.#source.executions(block.start),
    }));
    const entries =
      this.#gotos === undefined
        ? []
        : nodes[0]!.ways.flatMap(({ address, node }) => (node === undefined ? [] : [address]));
    return { entry: this.#entry, nodes, isHub: this.#isHub, entries };
  }

  #node(address: number, frame: Frame | undefined): number | undefined {
    return this.#nodeAt.get(frame)?.get(address);
  }

  /** True unless the block is hardly ever run, is a hub, or starts a large region that is there already. */
  #isWanted(address: number, frame: Frame | undefined): boolean {
    if (!isWarm(address, this.#entry, this.#source, this.#limits) || this.#isHubAt(address)) return false;
    if (this.#isHub || frame) return true;
    return (this.#source.sizeOf?.(address) ?? 0) < this.#limits.settledInstructions;
  }

  #isHubAt(address: number): boolean {
    const block = this.#source.blockAt(address);
    return block !== undefined && hubTargets(block, this.#source).length > 0;
  }

  /** An inlined function has the room that was set aside for it: left halfway, it would return to nobody in compiled code. */
  #hasRoom({ instructions }: Block, frame: Frame | undefined): boolean {
    return frame !== undefined || this.#hasRoomFor({ blocks: 1, instructions });
  }

  #hasRoomFor({ blocks, instructions }: Size): boolean {
    const most = this.#isHub ? this.#limits.hub : this.#limits;
    return this.#taken.blocks + blocks <= most.blocks && this.#taken.instructions + instructions <= most.instructions;
  }

  #take({ blocks, instructions }: Size): void {
    this.#taken = { blocks: this.#taken.blocks + blocks, instructions: this.#taken.instructions + instructions };
  }

  #add(block: Block, frame: Frame | undefined): void {
    const nodes = this.#nodeAt.get(frame) ?? new Map<number, number>();
    this.#nodeAt.set(frame, nodes.set(block.start, this.#found.length));
    this.#found.push({ block, frame, inlined: false, targets: [] });
    if (!frame) this.#take({ blocks: 1, instructions: block.instructions });
  }

  #targets(found: Found): Found["targets"] {
    const { block, frame } = found;
    const { exit } = block;
    if (block === meeting) return this.#entries().map((address) => ({ address, frame }));
    if (!frame && this.#gotos?.jumps.has(block.start)) return [{ address: meeting.start, frame }];
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
        this.#take(this.#sizeOf(callee!));
        const depth = (frame?.depth ?? 0) + 1;
        return [{ address: callee!, frame: { callee: callee!, returnTo: exit.returnTo, parent: frame, depth } }];
      }
      default:
        return [];
    }
  }

  #entries(): readonly number[] {
    const added = this.#source.entriesOf?.(this.#entry) ?? [];
    return [...new Set([this.#entry, ...this.#gotos!.targets, ...added])];
  }

  #jumpTargets(block: Block, target: Value): readonly number[] {
    if (this.#isHub && block.start === this.#entry) return hubTargets(block, this.#source);
    const many = switchTargets(block, this.#source);
    return many.length > 0 ? many : likelyTargets(block, target, this.#source);
  }

  #inlines(callee: number, { block, frame }: Found): boolean {
    if ((frame?.depth ?? 0) >= this.#limits.inlineDepth || callee === this.#entry) return false;
    for (let outer = frame; outer; outer = outer.parent) if (outer.callee === callee) return false;
    const size = this.#sizeOf(callee);
    if (size.instructions > this.#limits.inlineInstructions || !this.#hasRoomFor(size)) return false;
    return (
      size.instructions <= asLongAsACall ||
      this.#source.executions(block.start) * 16 >= this.#source.executions(this.#entry)
    );
  }

  /** Also where a jump leads, as far as that can be said. */
  #waysWithin(block: Block): readonly number[] {
    const { exit } = block;
    return exit.kind === "jump" ? this.#jumpTargets(block, exit.target) : waysWithin(exit);
  }

  /**
   * The function's blocks that are warm; more than any limit if it is large, has not run, or jumps who knows where. What a
   * jump leads to belongs to it, as the function behind a library's stub does: left out of a region, it would return to nobody there.
   */
  #sizeOf(callee: number): Size {
    const known = this.#sizes.get(callee) ?? this.#measure(callee);
    this.#sizes.set(callee, known);
    return known;
  }

  #measure(callee: number): Size {
    const addresses = new Set([callee]);
    const size = { blocks: 0, instructions: 0 };
    for (const address of addresses) {
      const block = this.#source.blockAt(address);
      if (!block || (address !== callee && !isWarm(address, this.#entry, this.#source, this.#limits))) continue;
      size.blocks++;
      size.instructions += block.instructions;
      const ways = this.#waysWithin(block);
      const isLost = ways.length === 0 && block.exit.kind === "jump";
      if (isLost || size.instructions > this.#limits.inlineInstructions) return boundless;
      for (const to of ways) addresses.add(to);
    }
    return size.blocks === 0 ? boundless : size;
  }
}
