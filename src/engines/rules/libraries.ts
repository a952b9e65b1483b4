/** Where libraries' code lies, so that rules can tell a program's own stores from those of pmem_memcpy or the allocator. */
import type { ContextTree } from "../../trace/events/index.ts";
import { RangeMap } from "./ranges.ts";

const pmemLibrary = /\/libpmem[^/]*\.so[^/]*$/;
const copyLibrary = /\/(?:libpmem[^/]*|libc|libstdc\+\+)[.-][^/]*so[^/]*$|\/libc-[^/]*\.so$/;

/** Code of some kind has come, or goes. */
type CodeChanged = (kind: "copying" | "pmem", start: number, end: number, now: "here" | "gone") => void;

export class Libraries {
  readonly #pmem = new RangeMap<undefined>();
  readonly #copying = new RangeMap<undefined>();
  readonly #withinPmem = new Map<number, boolean>();
  readonly #contexts: ContextTree;

  readonly #onChange: CodeChanged;

  constructor(contexts: ContextTree, onChange: CodeChanged) {
    this.#contexts = contexts;
    this.#onChange = onChange;
  }

  noteCode(path: string, start: number, length: number): void {
    if (pmemLibrary.test(path)) {
      this.#pmem.add(start, start + length, undefined);
      this.#onChange("pmem", start, start + length, "here");
    }
    if (copyLibrary.test(path)) {
      this.#copying.add(start, start + length, undefined);
      this.#onChange("copying", start, start + length, "here");
    }
    this.#withinPmem.clear();
  }

  noteUnmap(start: number, length: number): void {
    this.#pmem.remove(start, start + length);
    this.#onChange("pmem", start, start + length, "gone");
    if (this.#copying.overlap(start, start + length) !== undefined)
      this.#onChange("copying", start, start + length, "gone");
    this.#copying.remove(start, start + length);
    this.#withinPmem.clear();
  }

  /** Code whose stores copy or fill on somebody's behalf. */
  copies(site: number): boolean {
    return this.#copying.at(site) !== undefined;
  }

  /** Code of a PMDK library. */
  isPmem(site: number): boolean {
    return this.#pmem.at(site) !== undefined;
  }

  /** Code of a PMDK library, or called back by one, as constructors are. */
  belongsToPmem(site: number, stack: number): boolean {
    return this.isPmem(site) || this.#calledByPmem(stack);
  }

  /** The context of the innermost call into a PMDK library from elsewhere; 0 if there is none. */
  callInto(stack: number): number {
    return this.#contexts.chain(stack).find((context) => !this.isPmem(this.#contexts.returnSite(context))) ?? 0;
  }

  #calledByPmem(stack: number): boolean {
    if (stack === 0 || this.#pmem.isEmpty) return false;
    const known = this.#withinPmem.get(stack);
    if (known !== undefined) return known;
    const found = this.#contexts.stack(stack).some((site) => this.isPmem(site));
    this.#withinPmem.set(stack, found);
    return found;
  }
}
