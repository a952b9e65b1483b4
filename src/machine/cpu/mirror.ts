/** Pages that show the same page of a file: what is stored to one is copied to the others. */
import type { Kernel } from "../kernel/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { pageSize } from "../runtime/index.ts";

export function mirrorStore(memory: GuestMemory, kernel: Kernel, address: number, size: number): void {
  const { bytes } = memory;
  for (let at = address; at < address + size; ) {
    const page = Math.floor(at / pageSize);
    const end = Math.min(address + size, (page + 1) * pageSize);
    for (const alias of kernel.aliasesOf(page)) {
      memory.prepareStore(alias);
      bytes.copyWithin(alias * pageSize + (at % pageSize), at, end);
    }
    at = end;
  }
}
