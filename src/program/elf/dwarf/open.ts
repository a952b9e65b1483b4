/** The debug information of a file, or of the separate file that has it. */
import type { ElfFile } from "../read.ts";
import { DebugSections, type Inflate } from "./sections.ts";
import { DebugInfo } from "./units.ts";

export interface DebugOptions {
  /** Undoes zlib; without it compressed debug information counts as absent. */
  readonly inflate?: Inflate;
  /** The separate debug file, read with purpose `symbols`. */
  readonly debugFile?: ElfFile;
}

/** Undefined when neither file has any. */
export function openDebugInfo(elf: ElfFile, { debugFile, inflate }: DebugOptions): DebugInfo | undefined {
  for (const one of [debugFile, elf]) {
    if (one === undefined) continue;
    const sections = new DebugSections(one, inflate);
    if (sections.has("info")) return new DebugInfo(sections);
  }
  return undefined;
}
