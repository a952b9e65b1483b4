/** The machine as an executor: a guest with only the harness's pages, its registers loaded from and saved to records. */
import { cpuOffset, eflagsBit, flagsCode } from "../../src/ir/index.ts";
import { cpuAddress, createFloatHelpers } from "../../src/runtime/index.ts";

import { type ComplexContext, createComplexContext } from "../../src/vm/complex/index.ts";
import { PhaseClock } from "../../src/vm/machine/phases.ts";
import { type Event, Processor } from "../../src/vm/machine/processor.ts";
import { CompiledTier } from "../../src/vm/machine/tier.ts";
import { GuestMemory } from "../../src/vm/memory/index.ts";
import { restoreState, saveState } from "../../src/vm/process/index.ts";
import type { TestBlock } from "./blocks.ts";
import type { Executor } from "./executor.ts";
import type { Outcome } from "./outcome.ts";
import { codePlace, dataPlace, holePage, pageBytes, readOnlyPage } from "./places.ts";
import { type Case, fxLayout, inputLayout, outputLayout } from "./records.ts";

/** `calling`: compiled so that floating-point operations are called and see to MXCSR (jit/floats.ts), once it matters. */
export type TierName = "interpreter" | "jit" | "calling";

/** With 1 a region stays as it was compiled first; with 2 the next that MXCSR keeps from running is compiled anew. */
const hotAfter: Readonly<Record<TierName, number>> = { interpreter: 0, jit: 1, calling: 2 };

const protection = { read: 1, write: 2, execute: 4 } as const;
const arithmetic = 0x8d5n;
/** NT, AC and ID. */
const restFlags = 0x24_4000;
/** Far more than a block has; repeated string instructions count once. */
const enough = 1000;

/** The pages of places.ts, every one already stored to, so that the fast paths are taken. */
function harnessMemory(): GuestMemory {
  const memory = new GuestMemory();
  memory.map(codePlace.start, codePlace.size, protection.read | protection.write | protection.execute);
  memory.map(dataPlace.start, dataPlace.size, protection.read | protection.write);
  memory.load(dataPlace.start, new Uint8Array(dataPlace.size));
  memory.protect(readOnlyPage, pageBytes, protection.read);
  memory.unmap(holePage, pageBytes);
  memory.load(codePlace.start, new Uint8Array(codePlace.size).fill(0xcc));
  return memory;
}

export class MachineExecutor implements Executor {
  readonly name: TierName;
  readonly #memory = harnessMemory();
  readonly #data = this.#memory.bytes.subarray(dataPlace.start, dataPlace.start + dataPlace.size);
  readonly #processor: Processor;
  readonly #context: ComplexContext;
  readonly #tier: CompiledTier | undefined;
  #block: TestBlock | undefined;

  constructor(name: TierName) {
    this.name = name;
    this.#processor = new Processor(this.#memory, {
      helpers: createFloatHelpers(this.#memory.wasm.buffer),
      hotAfter: hotAfter[name],
      drainEvents: () => undefined,
      mirror: () => undefined,
      tsc: () => 0n,
    });
    this.#memory.hooks = { ...this.#memory.hooks, codeChanged: (page) => this.#processor.codeChanged(page) };
    this.#context = createComplexContext(this.#memory, this.#processor.runtime, () => 0n);
    if (name !== "interpreter") {
      const { runtime, translator } = this.#processor;
      this.#tier = new CompiledTier(this.#memory.view, runtime, translator, new PhaseClock(() => 0));
      this.#processor.tier = this.#tier;
    }
  }

  load(block: TestBlock): void {
    if (this.#block) this.#memory.load(this.#block.address, new Uint8Array(this.#block.bytes.length).fill(0xcc));
    this.#memory.load(block.address, block.bytes);
    this.#block = block;
  }

  /** Regions compiled so far: shows that the compiling tier was at work. */
  get regions(): number {
    return this.#tier?.regions ?? 0;
  }

  get data(): Uint8Array {
    return this.#data;
  }

  run(input: Case, output: Case): Outcome {
    this.#loadState(input);
    const { event } = this.#processor.run(enough);
    this.#saveState(output);
    return this.#outcome(event);
  }

  loadFloat({ bytes }: Case): void {
    restoreState(this.#memory.view, cpuAddress(0), bytes.subarray(inputLayout.fx, inputLayout.fx + fxLayout.size));
  }
  saveFloat({ bytes }: Case): void {
    bytes.set(saveState(this.#memory.view, cpuAddress(0)), outputLayout.fx);
  }

  #loadState({ bytes, view }: Case): void {
    const to = this.#memory.view;
    this.#memory.bytes.set(bytes.subarray(inputLayout.gpr, inputLayout.gpr + 128), cpuAddress(cpuOffset.gpr));
    const flags = view.getUint32(inputLayout.rflags, true);
    to.setUint32(cpuAddress(cpuOffset.flagsKind), flagsCode("raw", 32), true);
    to.setBigUint64(cpuAddress(cpuOffset.flagsLeft), BigInt(flags) & arithmetic, true);
    to.setUint32(cpuAddress(cpuOffset.direction), (flags >> eflagsBit.d) & 1, true);
    to.setUint32(cpuAddress(cpuOffset.eflagsRest), flags & restFlags, true);
    to.setBigUint64(cpuAddress(cpuOffset.fsBase), view.getBigUint64(inputLayout.fsBase, true), true);
    to.setBigUint64(cpuAddress(cpuOffset.gsBase), view.getBigUint64(inputLayout.gsBase, true), true);
    to.setBigUint64(cpuAddress(cpuOffset.rip), BigInt(this.#block!.address), true);
  }

  #saveState({ bytes, view }: Case): void {
    const from = this.#memory.view;
    bytes.set(
      this.#memory.bytes.subarray(cpuAddress(cpuOffset.gpr), cpuAddress(cpuOffset.gpr) + 128),
      outputLayout.gpr,
    );
    view.setBigUint64(outputLayout.rflags, BigInt(this.#context.readEflags()), true);
    view.setBigUint64(outputLayout.fsBase, from.getBigUint64(cpuAddress(cpuOffset.fsBase), true), true);
    view.setBigUint64(outputLayout.gsBase, from.getBigUint64(cpuAddress(cpuOffset.gsBase), true), true);
    view.setBigUint64(outputLayout.rip, this.#processor.rip, true);
  }

  /** The int3 that fills the code pages ends every block that runs to its end. */
  #outcome(event: Event): Outcome {
    if (event.kind === "fault") return { kind: "fault", address: event.address };
    if (event.kind !== "trap") return { kind: "done" };
    if (event.trap !== "breakpoint") return { kind: event.trap };
    const { address, bytes } = this.#block!;
    const rip = Number(this.#processor.rip);
    return { kind: rip >= address && rip < address + bytes.length ? "breakpoint" : "done" };
  }
}
