/** Machines that somebody still holds, by their memories: what the collector leaves of them. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { memoryPages64K } from "../../src/machine/runtime/index.ts";

export interface NotedMemories {
  /** So many machines were made since. */
  readonly made: number;
  /** Those that cannot be collected. */
  alive(): Promise<number>;
  /** No more are noted. */
  end(): void;
}

/** What somebody holds stays however often it is looked for; what nobody does may take more than one look. */
const mostLooks = 8;

export function noteMemories(): NotedMemories {
  const { Memory } = WebAssembly;
  const noted: WeakRef<WebAssembly.Memory>[] = [];
  class NotedMemory extends Memory {
    constructor(type: { readonly initial: number; readonly maximum: number }) {
      super(type);
      // Nothing else has a machine's size.
      if (type.initial === memoryPages64K) noted.push(new WeakRef(this));
    }
  }
  Object.assign(WebAssembly, { Memory: NotedMemory });
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const count = () => noted.filter((memory) => memory.deref() !== undefined).length;
  return {
    get made() {
      return noted.length;
    },
    async alive() {
      for (let looks = 0; looks < mostLooks && count() > 0; looks++) {
        // What was referred to in one turn stays until that turn is over.
        await new Promise((resolve) => setTimeout(resolve, 1));
        collect();
      }
      return count();
    },
    end: () => void Object.assign(WebAssembly, { Memory }),
  };
}
