/** Where a program's symbol lies in the guest: the executable's own table, moved to where it was loaded. */
import { readElf, readSymbols } from "../../program/elf/index.ts";
import type { InodeId } from "../files/index.ts";
import type { Kernel } from "../kernel/index.ts";

/** Undefined when the program, as loaded, defines no such symbol. */
export function symbolAddress(kernel: Kernel, path: string, name: string): number | undefined {
  const bytes = kernel.files.readFile(path);
  const inode = kernel.files.lookup(path) as InodeId;
  if (typeof bytes === "number") return undefined;
  const elf = readElf(bytes, path);
  const symbol = readSymbols(elf).find((candidate) => candidate.name === name && candidate.value !== 0);
  const first = kernel.areas.find(({ file }) => file?.inode === inode);
  if (!symbol || !first?.file) return undefined;
  const { offset } = first.file;
  const segment = elf.segments.find(
    ({ type, filesz, ...at }) => type === 1 && at.offset <= offset + 4095 && offset < at.offset + filesz,
  );
  return segment && symbol.value + first.start - (segment.vaddr - (segment.offset - offset));
}

/** Of the program's own table. */
export function symbolNames(kernel: Kernel, path: string): readonly string[] {
  const bytes = kernel.files.readFile(path);
  return typeof bytes === "number" ? [] : readSymbols(readElf(bytes, path)).map(({ name }) => name);
}
