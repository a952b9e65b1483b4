/** A file's global and static variables by address. */
import type { GlobalVariable } from "../../elf/index.ts";
import type { DebugFile } from "../debug-file.ts";

export class GlobalIndex {
  readonly #file: DebugFile;
  #sorted: readonly GlobalVariable[] | undefined;

  constructor(file: DebugFile) {
    this.#file = file;
  }

  /** The variable whose bytes an address is among. */
  at(address: number): GlobalVariable | undefined {
    this.#sorted ??= this.#file.variables.globals().toSorted((a, b) => a.address - b.address);
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] as GlobalVariable).address <= address) low = middle + 1;
      else high = middle;
    }
    const found = this.#sorted[low - 1];
    const size = this.#file.types.sizeOf(found?.type) ?? 0;
    return found !== undefined && address < found.address + size ? found : undefined;
  }
}
