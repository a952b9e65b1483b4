/**
 * One region as a WebAssembly function (depth) → stop code. Enter: guest state in memory, CPU.rip the region's entry.
 * Leave: guest state in memory, CPU.rip the next instruction, 0 to go on dispatching there.
 */

import { cpuOffset } from "../../isa/ir/index.ts";
import type { Code } from "../../isa/wasm/index.ts";
import { cpuAddress, maxCallDepth, stop } from "../runtime/index.ts";
import { BlockWriter } from "./block.ts";
import { ExitWriter, type ModuleContext } from "./exits.ts";
import { analyseFlow, endsInMemory, type Flow } from "./flow.ts";
import { type FuelPlan, planFuel } from "./fuel.ts";
import { type OrderedGraph, orderGraph } from "./graph.ts";
import { analyseLiveness, type Liveness } from "./liveness.ts";
import { writeLookUp } from "./lookup.ts";
import { meeting, type Region } from "./region.ts";
import { RegionState, type Site } from "./state.ts";
import { type Branches, writeStructured } from "./structure.ts";
import { findWindows, type Windows } from "./windows.ts";

export function writeRegion(region: Region, context: ModuleContext): Code {
  return new RegionWriter(region, context).write();
}

class RegionWriter {
  readonly #context: ModuleContext;
  readonly #region: Region;
  readonly #graph: OrderedGraph;
  readonly #fuel: FuelPlan;
  readonly #flow: Flow;
  readonly #liveness: Liveness;
  readonly #windows: Windows;
  readonly #state: RegionState;

  constructor(region: Region, context: ModuleContext) {
    this.#context = context;
    this.#region = region;
    this.#graph = orderGraph(
      region.nodes.map(({ ways }) => ways.flatMap(({ node }) => (node === undefined ? [] : [node]))),
    );
    const afterCalls = new Set<number>();
    for (const node of region.nodes)
      if (endsInMemory(node) && node.ways[0]!.node !== undefined) afterCalls.add(node.ways[0]!.node);
    this.#fuel = planFuel(this.#graph, (node) => region.nodes[node]!.block.instructions, afterCalls);
    this.#windows = findWindows(region, this.#graph, context.source);
    this.#flow = analyseFlow(region, this.#graph, this.#fuel, this.#windows);
    this.#liveness = analyseLiveness(region, this.#graph, this.#fuel, this.#windows);
    this.#state = new RegionState(region, context.source.callsFloats?.(region.entry) ?? false);
  }

  write(): Code {
    const state = this.#state;
    const c = state.code;
    c.get(state.depth).i32(maxCallDepth).op("i32.ge_u").if_("none", 0);
    c.i32(0).return_();
    c.end();
    state.load(this.#liveness.liveIn[0]!);
    if (this.#region.entries.length > 0) c.i32(0).memory("i64.load", cpuAddress(cpuOffset.rip)).set(state.rip);
    state.openExits(this.#liveness.dirtyAtExits);
    writeStructured(c, this.#graph, (node, branches) => this.#node(node, branches));
    c.unreachable();
    state.closeExits();
    c.if_("i32", 1);
    c.get(state.stop).i32(stop.slow).op("i32.eq").if_("none", 1);
    c.i32(this.#region.entry).call(this.#context.imports.get("slow")!).i32(0).return_();
    c.end();
    c.get(state.stop);
    c.else_();
    // Whoever left for another block, without a stop code, goes on there at once if it has a region.
    writeLookUp(state, this.#context.imports, () => c.returnCall(this.#context.imports.get("go")!));
    c.end();
    return c;
  }

  #node(node: number, branches: Branches): void {
    const regionNode = this.#region.nodes[node]!;
    const reserve = this.#fuel.reserve[node]!;
    const dirty = this.#liveness.dirtyIn[node]!;
    const isMeeting = regionNode.block.start === meeting.start;
    if (this.#fuel.isChecked[node])
      this.#checkFuel({ address: regionNode.block.start, unused: reserve, dirty }, isMeeting);
    const writer = new BlockWriter(this.#state, this.#context.imports, regionNode.block, {
      flags: this.#flow.flagsIn[node]!,
      deadFlags: this.#flow.deadFlags[node]!,
      dirty,
      reserve,
      members: this.#windows[node]!,
      isSlow: (address) => this.#context.source.isSlow?.(address) === true,
    });
    writer.write();
    new ExitWriter(this.#context, this.#state, {
      entry: this.#region.entry,
      fuel: this.#fuel,
      liveness: this.#liveness,
      node: regionNode,
      writer,
      branches,
    }).write();
  }

  #checkFuel(site: Site, isMeeting: boolean): void {
    const { code: c, fuel } = this.#state;
    c.get(fuel).i64(BigInt(site.unused)).op("i64.sub").tee(fuel).i64(0n).op("i64.lt_s").if_("none", 0);
    c.i32(stop.fuel).set(this.#state.stop);
    if (isMeeting) this.#state.leaveToRip(site);
    else this.#state.leave(site);
    c.end();
  }
}
