/** A guest with only the harness's pages: its registers are loaded from and saved to records, its block lies in its place. */
import { cpuOffset, eflagsBit, flagsCode, uppers } from "../../src/isa/ir/index.ts";
import { type ComplexContext, createComplexContext } from "../../src/machine/complex/index.ts";
import type { Event } from "../../src/machine/cpu/processor.ts";
import { GuestMemory } from "../../src/machine/memory/index.ts";
import { restoreState, saveState } from "../../src/machine/process/index.ts";
import { cpuAddress, type Runtime } from "../../src/machine/runtime/index.ts";
import type { TestBlock } from "./blocks.ts";
import type { Outcome } from "./outcome.ts";
import { codePlace, dataPlace, holePage, pageBytes, readOnlyPage } from "./places.ts";
import { type Case, fxLayout, inputLayout, outputLayout } from "./records.ts";

const protection = { read: 1, write: 2, execute: 4 } as const;
const arithmetic = 0x8d5n;
/** NT, AC and ID. */
const restFlags = 0x24_4000;

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

/** What an executor has to do with a guest, whatever runs its instructions. */
export class HarnessGuest {
  readonly memory = harnessMemory();
  readonly data = this.memory.bytes.subarray(dataPlace.start, dataPlace.start + dataPlace.size);
  #context: ComplexContext | undefined;
  #block: TestBlock | undefined;

  /** Machine-made instructions, and the flags as the runtime sees them. */
  connect(runtime: Runtime): ComplexContext {
    this.#context = createComplexContext(this.memory, runtime, () => 0n, "v3");
    return this.#context;
  }

  load(block: TestBlock): void {
    if (this.#block) this.memory.load(this.#block.address, new Uint8Array(this.#block.bytes.length).fill(0xcc));
    this.memory.load(block.address, block.bytes);
    this.#block = block;
  }

  get rip(): bigint {
    return this.memory.view.getBigUint64(cpuAddress(cpuOffset.rip), true);
  }
  set rip(address: bigint) {
    this.memory.view.setBigUint64(cpuAddress(cpuOffset.rip), address, true);
  }

  loadFloat({ bytes }: Case): void {
    restoreState(this.memory.view, cpuAddress(0), bytes.subarray(inputLayout.fx, inputLayout.fx + fxLayout.size));
    for (const [i, { offset }] of uppers.entries())
      this.memory.bytes.set(bytes.subarray(inputLayout.uppers + 16 * i).subarray(0, 16), cpuAddress(offset));
  }
  saveFloat({ bytes }: Case): void {
    bytes.set(saveState(this.memory.view, cpuAddress(0)), outputLayout.fx);
    for (const [i, { offset }] of uppers.entries())
      bytes.set(this.memory.bytes.subarray(cpuAddress(offset)).subarray(0, 16), outputLayout.uppers + 16 * i);
  }

  loadState({ bytes, view }: Case): void {
    const to = this.memory.view;
    this.memory.bytes.set(bytes.subarray(inputLayout.gpr, inputLayout.gpr + 128), cpuAddress(cpuOffset.gpr));
    const flags = view.getUint32(inputLayout.rflags, true);
    to.setUint32(cpuAddress(cpuOffset.flagsKind), flagsCode("raw", 32), true);
    to.setBigUint64(cpuAddress(cpuOffset.flagsLeft), BigInt(flags) & arithmetic, true);
    to.setUint32(cpuAddress(cpuOffset.direction), (flags >> eflagsBit.d) & 1, true);
    to.setUint32(cpuAddress(cpuOffset.eflagsRest), flags & restFlags, true);
    to.setBigUint64(cpuAddress(cpuOffset.fsBase), view.getBigUint64(inputLayout.fsBase, true), true);
    to.setBigUint64(cpuAddress(cpuOffset.gsBase), view.getBigUint64(inputLayout.gsBase, true), true);
    this.rip = BigInt(this.#block!.address);
  }

  saveState({ bytes, view }: Case): void {
    const from = this.memory.view;
    bytes.set(this.memory.bytes.subarray(cpuAddress(cpuOffset.gpr), cpuAddress(cpuOffset.gpr) + 128), outputLayout.gpr);
    view.setBigUint64(outputLayout.rflags, BigInt(this.#context!.readEflags()), true);
    view.setBigUint64(outputLayout.fsBase, from.getBigUint64(cpuAddress(cpuOffset.fsBase), true), true);
    view.setBigUint64(outputLayout.gsBase, from.getBigUint64(cpuAddress(cpuOffset.gsBase), true), true);
    view.setBigUint64(outputLayout.rip, this.rip, true);
  }

  /** The int3 that fills the code pages ends every block that runs to its end. */
  outcome(event: Event): Outcome {
    if (event.kind === "fault") return { kind: "fault", address: event.address };
    if (event.kind !== "trap") return { kind: "done" };
    if (event.trap !== "breakpoint") return { kind: event.trap };
    const { address, bytes } = this.#block!;
    const rip = Number(this.rip);
    return { kind: rip >= address && rip < address + bytes.length ? "breakpoint" : "done" };
  }
}
