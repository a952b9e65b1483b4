/** The state of a machine as the guest can see it, to compare. */
import { addWords, digestText, newDigest } from "../../base/index.ts";
import type { Kernel } from "../kernel/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { info, layout, pageSize, threadStateBytes } from "../runtime/index.ts";

/** The current thread's registers. */
export function threadState(memory: GuestMemory, kernel: Kernel): Uint32Array {
  const words = new Uint32Array(memory.wasm.buffer);
  const registers = layout.cpu / 4;
  const [integers, others] = [words.subarray(registers, registers + 34), words.subarray(registers + 46)];
  return Uint32Array.of(...integers, kernel.cpu.eflags, ...others.subarray(0, threadStateBytes / 4 - 46));
}

/** Of the current thread's registers and all of memory. */
export function stateDigest(memory: GuestMemory, kernel: Kernel): string {
  const digest = newDigest();
  const words = new Uint32Array(memory.wasm.buffer);
  addWords(digest, threadState(memory, kernel));
  for (const { start, end } of kernel.areas)
    for (let page = start / pageSize; page < end / pageSize; page++) {
      addWords(digest, new Uint32Array([page, memory.infoOf(page) & (info.read | info.write | info.execute)]));
      if (memory.isTouched(page)) addWords(digest, words.subarray((page * pageSize) / 4, ((page + 1) * pageSize) / 4));
    }
  return digestText(digest);
}
