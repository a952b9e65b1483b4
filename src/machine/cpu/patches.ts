/**
 * A machine's patches: which of them lie where, now (docs/adr/0019-virtual-patches.md). Places in code are places in files, so
 * that they mean the same in every run and wherever a library lies. Always:
 * - `at` and `covers` look at what is mapped when they are asked, which is when code is lifted.
 * - The runtime's table says for each patch below which return address it holds. It is brought up to date whenever mappings
 *   change: a library may come later than the code that is patched.
 */
import { assert } from "../../base/index.ts";
import type { PatchOp } from "../../isa/ir/index.ts";
import type { PatchSites, SitePatch } from "../../isa/lift/index.ts";
import { type InodeId, textFromPath } from "../files/index.ts";
import type { Kernel } from "../kernel/index.ts";
import { layout, maxPatches, patchAnywhere, patchNowhere } from "../runtime/index.ts";
import { type Release, releasesOf } from "./held-flushes.ts";

/** An instruction: where it lies in the file that is mapped there. Traces tell where files are mapped (`map`). */
export interface CodePlace {
  readonly module: string;
  readonly offset: number;
}

/** A flush or fence that the program lacks, right after an instruction. */
export interface Patch {
  /** A flush is of the bytes that the instruction stores to; of those that it loads, if it stores nothing. */
  readonly insert: PatchOp;
  readonly at: CodePlace;
  /** Only while a call is in progress that returns to this instruction. */
  readonly below?: CodePlace;
  /** Of a flush: not yet, but right before what one of these instructions does, each line once. */
  readonly until?: readonly CodePlace[];
}

const protExecute = 4;
/** Calls after which code may lie elsewhere. */
export const changesMappings: ReadonlySet<string> = new Set(["mmap", "munmap", "mprotect", "mremap", "execve"]);

export class Patches implements PatchSites {
  readonly #patches: readonly Patch[];
  /** Numbered behind all patches. */
  readonly #releases: readonly Release[];
  readonly #view: DataView;
  /** By module, then by offset; in the order in which they were given. */
  readonly #sites = new Map<string, Map<number, SitePatch[]>>();
  readonly #paths = new Map<InodeId, string>();
  #kernel: Kernel | undefined;

  constructor(patches: readonly Patch[], view: DataView) {
    this.#patches = patches;
    this.#releases = releasesOf(patches);
    const count = patches.length + this.#releases.length;
    assert(count <= maxPatches, `machine: there are at most ${maxPatches} patches`);
    this.#view = view;
    // What was held comes first, then a fence at the same place.
    for (const [index, { at }] of this.#releases.entries()) this.#add(at, "mfence", patches.length + index);
    for (const [number, { insert, at }] of patches.entries()) this.#add(at, insert, number);
  }

  #add({ module, offset }: CodePlace, op: PatchOp, number: number): void {
    const sites = this.#sites.get(module) ?? new Map<number, SitePatch[]>();
    this.#sites.set(module, sites);
    sites.set(offset, [...(sites.get(offset) ?? []), { op, number }]);
  }

  /** The program is loaded. */
  begin(kernel: Kernel): void {
    this.#kernel = kernel;
    this.locate();
  }

  /** Writes down where the calls are that patches ask for. */
  locate(): void {
    const write = (number: number, address: number) => this.#view.setUint32(layout.patches + 4 * number, address, true);
    for (const [number, { below }] of this.#patches.entries())
      write(number, below === undefined ? patchAnywhere : (this.#addressOf(below) ?? patchNowhere));
    for (const [index] of this.#releases.entries()) write(this.#patches.length + index, patchAnywhere);
  }

  #addressOf({ module, offset }: CodePlace): number | undefined {
    for (const { start, end, file, protection } of this.#kernel?.areas ?? []) {
      if (!file || !(protection & protExecute) || this.#pathOf(file.inode) !== module) continue;
      const address = start + offset - file.offset;
      if (address >= start && address < end) return address;
    }
    return undefined;
  }

  /** As it was called when it was first seen. */
  #pathOf(inode: InodeId): string {
    let path = this.#paths.get(inode);
    if (path === undefined) {
      path = textFromPath(this.#kernel!.files.pathOf(inode));
      this.#paths.set(inode, path);
    }
    return path;
  }

  #sitesAt(address: number): { readonly sites: ReadonlyMap<number, SitePatch[]>; readonly offset: number } | undefined {
    const area = this.#kernel?.areaAt(address);
    const sites = area?.file && this.#sites.get(this.#pathOf(area.file.inode));
    return sites && { sites, offset: address - area!.start + area!.file!.offset };
  }

  at(address: number): readonly SitePatch[] {
    const found = this.#sitesAt(address);
    return found?.sites.get(found.offset) ?? [];
  }

  covers(start: number, end: number): boolean {
    const found = this.#sitesAt(start);
    if (!found) return false;
    const { sites, offset } = found;
    return [...sites.keys()].some((site) => site >= offset && site < offset + end - start);
  }
}
