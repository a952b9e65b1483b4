/**
 * How a block ends: it goes on inside the region, calls, jumps to another region, or leaves. A guest call is a
 * WebAssembly call; what comes back counts as a return only if CPU.rip is the return address. Where it is not, the
 * dispatcher goes on from there until it is.
 */
import { assert } from "../../base/index.ts";
import { cpuOffset, type Exit, type Value } from "../../isa/ir/index.ts";
import { cell, cpuAddress, stop } from "../runtime/index.ts";
import { type BlockWriter, trapStops } from "./block.ts";
import { type FuelPlan, refundOf } from "./fuel.ts";
import type { Imports } from "./imports.ts";
import type { Liveness } from "./liveness.ts";
import { writeLookUp } from "./lookup.ts";
import { perfectHash } from "./perfect-hash.ts";
import { type CodeSource, isWarm, meeting, type RegionLimits, type RegionNode } from "./region.ts";
import { bitOf, type RegisterSet } from "./register-sets.ts";
import type { RegionState } from "./state.ts";
import type { Branches } from "./structure.ts";
import { stackPointer } from "./symbols.ts";
import { likelyTargets } from "./targets.ts";

/** So many places to go to are compared one after the other; more are looked up. */
const maxComparisons = 3;

export interface ModuleContext {
  readonly imports: Imports;
  /** Regions of this module: entry address → function index. */
  readonly functions: ReadonlyMap<number, number>;
  readonly source: CodeSource;
  readonly limits: RegionLimits;
}

/** The block that ends, and what is known about the region around it. */
interface BlockEnd {
  /** The region's. */
  readonly entry: number;
  readonly fuel: FuelPlan;
  readonly liveness: Liveness;
  readonly node: RegionNode;
  readonly writer: BlockWriter;
  readonly branches: Branches;
}

export class ExitWriter {
  readonly #context: ModuleContext;
  readonly #state: RegionState;
  readonly #entry: number;
  readonly #fuel: FuelPlan;
  readonly #liveness: Liveness;
  readonly #node: RegionNode;
  readonly #writer: BlockWriter;
  readonly #branches: Branches;

  constructor(context: ModuleContext, state: RegionState, end: BlockEnd) {
    this.#context = context;
    this.#state = state;
    this.#entry = end.entry;
    this.#fuel = end.fuel;
    this.#liveness = end.liveness;
    this.#node = end.node;
    this.#writer = end.writer;
    this.#branches = end.branches;
  }

  write(): void {
    const { exit } = this.#node.block;
    switch (exit.kind) {
      case "goto":
        return this.#go(0);
      case "branch":
        return this.#branch(exit);
      case "jump":
      case "return":
        return this.#jump(exit.target);
      case "call":
        if (!this.#node.inlined) return this.#call(exit);
        return exit.known === undefined ? this.#jump(exit.target!) : this.#go(0);
      case "syscall":
        return this.#stop(stop.syscall, exit.next, 0);
      case "complex":
        return this.#complex(exit);
      case "trap":
        return this.#stop(trapStops[exit.trap], exit.address, 1);
    }
  }

  /** `uncounted` instructions of the block did not run. */
  #stop(code: number, address: number, uncounted: number): void {
    this.#state.code.i32(code).set(this.#state.stop);
    this.#state.leave({ address, unused: this.#writer.unusedAtEnd + uncounted, dirty: this.#writer.dirty });
  }

  /** The graph's edges are the ways out that stay inside. */
  #edgeOf(way: number): number {
    return this.#node.ways.slice(0, way).filter(({ node }) => node !== undefined).length;
  }

  /** Continues at the block's way out number `way`. */
  #go(way: number): void {
    const { node, address } = this.#node.ways[way]!;
    if (node === undefined) return this.#leaveTo(address);
    this.#state.storeRegisters(this.#writer.dirty & ~this.#liveness.dirtyIn[node]!);
    this.#state.returnFuel(refundOf(this.#fuel, this.#writer.unusedAtEnd, node));
    this.#branches.take(this.#edgeOf(way));
  }

  #branch(exit: Exit & { kind: "branch" }): void {
    const c = this.#state.code;
    this.#writer.value(exit.when);
    c.if_("none", this.#hint());
    this.#go(0);
    c.end();
    this.#go(1);
  }

  /** 1: the branch is mostly taken, 0: seldom. Ways out of the region have not run yet. */
  #hint(): 0 | 1 | undefined {
    const [taken, otherwise] = this.#node.ways.map(({ node }) => node !== undefined);
    return taken === otherwise ? undefined : taken ? 1 : 0;
  }

  /** Out of the region: straight to another region where this happens often, else the short way for all. */
  #leaveTo(address: number): void {
    const { code: c } = this.#state;
    const { functions, source, limits, imports } = this.#context;
    const known = functions.get(address);
    const isWorthCode = source.blockAt(address) && isWarm(address, this.#entry, source, limits);
    const slot = isWorthCode && known === undefined ? source.slotOf(address) : undefined;
    if (known === undefined && slot === undefined) return this.#stop(stop.none, address, 0);
    this.#syncWith(() => c.i64(BigInt(address)));
    if (known !== undefined) c.get(this.#state.depth);
    else this.#pushSlot(slot!);
    c.returnCall(known ?? imports.get("go")!);
  }

  #pushSlot(slot: number): void {
    this.#state.code.i32(slot).get(this.#state.depth);
  }

  /** Everything to memory, CPU.rip from `pushRip`. */
  #syncWith(pushRip: () => void): void {
    const state = this.#state;
    state.code.i32(0);
    pushRip();
    state.code.memory("i64.store", cpuAddress(cpuOffset.rip));
    state.storeRegisters(this.#writer.dirty);
    state.storeFlags(this.#writer.flags);
    state.storeFuel(this.#writer.unusedAtEnd);
  }

  /** To a computed address: the guesses that lie in the region are tried in turn, then it is left to the dispatcher. */
  #jump(target: Value): void {
    const state = this.#state;
    const c = state.code;
    const { block, ways } = this.#node;
    if (block.start !== meeting.start) {
      this.#writer.value(target);
      c.set(state.rip);
    }
    if (ways[0]?.address === meeting.start) return this.#go(0);
    const inside = [...this.#node.ways.keys()].filter((way) => this.#node.ways[way]!.node !== undefined);
    if (inside.length > maxComparisons) this.#switch(inside);
    else
      for (const way of inside) {
        c.get(state.rip).i64(BigInt(this.#node.ways[way]!.address)).op("i64.eq").if_("none", 1);
        this.#go(way);
        c.end();
      }
    const { unusedAtEnd: unused, dirty } = this.#writer;
    if (this.#node.ways.some(({ node }) => node !== undefined)) {
      // Elsewhere than expected: seldom, so not worth code of its own.
      c.i32(stop.none).set(state.stop);
      return state.leaveToRip({ unused, dirty });
    }
    this.#syncWith(() => c.get(state.rip));
    // A return goes to a caller that is most likely waiting for it in compiled code.
    if (this.#node.block.exit.kind === "return") return void c.i32(0).return_();
    const { imports } = this.#context;
    writeLookUp(state, imports, () => c.returnCall(imports.get("go")!));
    c.return_();
  }

  /** Goes to the way whose address is in `rip`; after it none of them is. */
  #switch(ways: readonly number[]): void {
    const { code: c, rip } = this.#state;
    const { multiplier, shift, entries } = perfectHash(ways.map((way) => this.#node.ways[way]!.address));
    const none = c.block();
    const labels = ways.map(() => c.block());
    c.get(rip).op("i32.wrap_i64").i32(multiplier).op("i32.mul").i32(shift).op("i32.shr_u");
    c.brTable(
      entries.map((entry) => (entry === undefined ? none : labels[entry]!)),
      none,
    );
    for (const way of ways.toReversed()) {
      c.end();
      c.get(rip).i64(BigInt(this.#node.ways[way]!.address)).op("i64.ne").brIf(none);
      this.#go(way);
    }
    c.end();
  }

  #call(exit: Exit & { kind: "call" }): void {
    const state = this.#state;
    const c = state.code;
    if (exit.known === undefined) {
      assert(exit.target !== undefined, "jit: a call has a target");
      this.#writer.value(exit.target);
      c.set(state.rip);
      this.#syncWith(() => c.get(state.rip));
      this.#callLikely(exit.target);
    } else {
      const { known } = exit;
      this.#syncWith(() => c.i64(BigInt(known)));
      this.#callRegion(known);
    }
    if (this.#node.ways[0]!.node === undefined) return this.#goOnAfterCall(exit.returnTo);
    c.tee(state.stop).if_("none", 0);
    c.get(state.stop).return_();
    c.end();
    const elsewhere = () => {
      c.i32(0).memory("i64.load", cpuAddress(cpuOffset.rip)).i64(BigInt(exit.returnTo)).op("i64.ne").if_("none", 0);
    };
    elsewhere();
    c.i64(BigInt(exit.returnTo))
      .get(state.depth)
      .call(this.#context.imports.get("resume")!)
      .tee(state.stop)
      .if_("none", 0);
    c.get(state.stop).return_();
    c.end();
    elsewhere();
    c.i32(0).return_();
    c.end();
    c.end();
    this.#expectStack();
    state.load(this.#liveAfter() & ~bitOf(stackPointer));
    this.#branches.take(0);
  }

  /** Back from a call to a place outside: straight to its region, if there is one. The callee's result is on the stack. */
  #goOnAfterCall(returnTo: number): void {
    const { code: c, stop: result } = this.#state;
    const slot = this.#context.source.slotOf(returnTo);
    if (slot === undefined) return void c.return_();
    c.tee(result).if_("none", 0);
    c.get(result).return_();
    c.end();
    c.i32(0).memory("i64.load", cpuAddress(cpuOffset.rip)).i64(BigInt(returnTo)).op("i64.ne").if_("none", 0);
    c.i32(0).return_();
    c.end();
    this.#pushSlot(slot);
    c.returnCall(this.#context.imports.get("go")!);
  }

  /** The machine makes the instruction. If it could not, the instruction does not count. */
  #complex({ address, next }: Exit & { kind: "complex" }): void {
    const state = this.#state;
    const c = state.code;
    this.#syncWith(() => c.i64(BigInt(address)));
    c.call(this.#context.imports.get("complex")!).tee(state.stop).if_("none", 0);
    state.storeFuel(this.#writer.unusedAtEnd + 1);
    c.i32(0).i32(0).memory("i32.store", cpuAddress(cell.stop));
    c.get(state.stop).return_();
    c.end();
    if (this.#node.ways[0]!.node === undefined) return void c.i32(0).return_();
    c.i32(0).memory("i64.load", cpuAddress(cpuOffset.rip)).i64(BigInt(next)).op("i64.ne").if_("none", 0);
    c.i32(0).return_();
    c.end();
    state.load(this.#liveAfter());
    this.#branches.take(0);
  }

  /** A return that does not take the return address off the stack, and only that, is left to the dispatcher. */
  #expectStack(): void {
    const { code: c } = this.#state;
    const stack = this.#state.register(stackPointer);
    c.get(stack).i64(8n).op("i64.add").tee(stack);
    c.i32(0).memory("i64.load", cpuAddress(stackPointer.offset)).op("i64.ne").if_("none", 0);
    c.i32(0).return_();
    c.end();
  }

  /** What has to be taken over from memory where the block's one way out continues. */
  #liveAfter(): RegisterSet {
    return this.#liveness.liveIn[this.#node.ways[0]!.node!]!;
  }

  /** Leaves the callee's result; 0 at once where there is nothing to call, since CPU.rip names the callee. */
  #callRegion(address: number): void {
    const { code: c, depth } = this.#state;
    const known = this.#context.functions.get(address);
    const slot = this.#context.source.slotOf(address);
    if (known !== undefined) c.get(depth).i32(1).op("i32.add").call(known);
    else if (slot === undefined) c.i32(0);
    else {
      this.#pushSlot(slot);
      c.call(this.#context.imports.get("call")!);
    }
  }

  #callLikely(target: Value): void {
    const { code: c, rip } = this.#state;
    const done = c.block("i32");
    for (const address of likelyTargets(this.#node.block, target, this.#context.source)) {
      c.get(rip).i64(BigInt(address)).op("i64.eq").if_();
      this.#callRegion(address);
      c.br(done);
      c.end();
    }
    const { imports } = this.#context;
    writeLookUp(this.#state, imports, () => c.call(imports.get("call")!));
    c.end();
  }
}
