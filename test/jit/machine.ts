/** A processor with a compiling tier of the simplest kind: every block that gets hot is compiled by itself, at once. */
import { cpuOffset } from "../../src/isa/ir/index.ts";
import type { KeptRegions } from "../../src/machine/cpu/kept-regions.ts";
import { PhaseClock } from "../../src/machine/cpu/phases.ts";
import { Processor } from "../../src/machine/cpu/processor.ts";
import { CompiledTier } from "../../src/machine/cpu/tier.ts";
import { type CodeSource, createCompiler } from "../../src/machine/jit/index.ts";
import { GuestMemory } from "../../src/machine/memory/index.ts";
import { cell, cpuAddress, createFloatHelpers, header } from "../../src/machine/runtime/index.ts";
import { assemble } from "../support/assemble.ts";

export const code = 0x40_0000;
export const data = 0x50_0000;
export const stack = 0x60_0000;
const dataBytes = 0x4000;
const stackBytes = 0x1_0000;

export interface TestMachine {
  readonly memory: GuestMemory;
  readonly processor: Processor;
  readonly compiled: number[];
  get(register: number): bigint;
  set(register: number, value: bigint): void;
}

/** `hotAfter` 0 interprets everything. */
export function machineWith(program: Uint8Array | string, hotAfter: number, batch = 1): TestMachine {
  const memory = new GuestMemory();
  memory.map(code, 0x1_0000, 7);
  memory.map(data, dataBytes, 3);
  memory.map(stack, stackBytes, 3);
  memory.load(code, typeof program === "string" ? assemble(program, code) : program);
  const helpers = createFloatHelpers(memory.wasm.buffer);
  const processor = new Processor(memory, {
    helpers,
    hotAfter,
    drainEvents: () => {},
    mirror: () => {},
    tsc: () => 0n,
  });
  memory.hooks = { ...memory.hooks, codeChanged: (page) => processor.codeChanged(page) };
  const compiled: number[] = [];
  addTier(memory, processor, compiled, batch);
  const at = (register: number) => cpuAddress(cpuOffset.gpr + 8 * register);
  memory.view.setBigUint64(cpuAddress(cpuOffset.rip), BigInt(code), true);
  const machine: TestMachine = {
    memory,
    processor,
    compiled,
    set: (register, value) => memory.view.setBigUint64(at(register), value, true),
    get: (register) => memory.view.getBigUint64(at(register), true),
  };
  memory.view.setUint32(cpuAddress(cpuOffset.mxcsr), 0x1f80, true);
  machine.set(4, BigInt(stack + stackBytes - 0x1000));
  return machine;
}

/** The tier that machines have, in place of the simple one. */
export function withRealTier({ memory, processor }: TestMachine, kept?: KeptRegions): CompiledTier {
  const { runtime, translator } = processor;
  const tier = new CompiledTier(memory.view, runtime, translator, new PhaseClock(() => 0), kept);
  processor.tier = tier;
  return tier;
}

/** Compiles `batch` hot entries at a time into one module. */
function addTier(memory: GuestMemory, processor: Processor, compiled: number[], batch: number): void {
  const { runtime, translator } = processor;
  const compiler = createCompiler();
  const slots = new Map<number, number>();
  const linked = new Map<number, unknown>();
  let waiting: number[] = [];
  const source: CodeSource = {
    isLinked: (address) => linked.has(address),
    peek: (address) => memory.readU64(address),
    // Some of each kind: left to the interpreter, or done by the runtime.
    isSlow: (address) => address % 3 === 0,
    blockAt: (address) => translator.get(address)?.block,
    executions: (address) => {
      const translation = translator.get(address);
      return translation ? memory.view.getUint32(translation.header + header.executions, true) : 0;
    },
    slotOf: (address) => {
      let slot = slots.get(address);
      if (slot === undefined) {
        slot = slots.size;
        slots.set(address, slot);
        runtime.table.set(slot, runtime.exports.empty);
      }
      return slot;
    },
  };
  const drop = () => {
    waiting = [];
    linked.clear();
    for (const slot of slots.values()) runtime.table.set(slot, runtime.exports.empty);
  };
  processor.tier = {
    compile: (_, rip) => {
      waiting.push(rip);
      if (waiting.length < batch) return;
      const { bytes, regions, links } = compiler.compile(waiting, source);
      waiting = [];
      const imported = Object.fromEntries(links.map(({ entry, importName }) => [importName, linked.get(entry)]));
      const imports = { runtime: runtime.exports, regions: imported } as never;
      const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
      for (const { entry, exportName } of regions) {
        linked.set(entry, instance.exports[exportName]);
        const slot = source.slotOf(entry)!;
        runtime.table.set(slot, instance.exports[exportName]);
        memory.view.setUint32(translator.get(entry)!.header + header.slot, slot + 1, true);
        compiled.push(entry);
      }
    },
    slow: () => undefined,
    dropPage: drop,
    drop,
  };
}

/** Everything the guest could see: registers, flags, memory. Pending flags are compared as their operands. */
export function stateOf({ memory, processor }: TestMachine) {
  const hex = (from: number, length: number) => Buffer.from(memory.bytes.subarray(from, from + length)).toString("hex");
  return {
    rip: processor.rip.toString(16),
    registers: hex(cpuAddress(cpuOffset.gpr), 128),
    flags: hex(cpuAddress(cpuOffset.flagsKind), 28),
    mxcsr: hex(cpuAddress(cpuOffset.mxcsr), 4),
    vectors: hex(cpuAddress(cpuOffset.xmm), 512),
    depth: memory.view.getUint32(cpuAddress(cell.depth), true),
    stop: memory.view.getUint32(cpuAddress(cell.stop), true),
    data: hex(data, dataBytes),
    stack: hex(stack, stackBytes),
  };
}
