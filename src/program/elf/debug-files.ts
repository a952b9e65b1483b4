/**
 * Where separate debug information may lie (gdb manual, "Debugging Information in Separate Files"), best first. Only
 * names: reading them, and checking the CRC a debug link carries, is the caller's.
 */
import { readBuildId, readDebugLink } from "./notes.ts";
import type { ElfFile } from "./read.ts";

export function debugFileCandidates(elf: ElfFile, roots: readonly string[] = ["/usr/lib/debug"]): readonly string[] {
  const candidates: string[] = [];
  const buildId = readBuildId(elf);
  if (buildId !== undefined && buildId.length > 2) {
    const name = `${buildId.slice(0, 2)}/${buildId.slice(2)}.debug`;
    candidates.push(...roots.map((root) => `${root}/.build-id/${name}`));
  }
  const link = readDebugLink(elf);
  if (link !== undefined && !link.file.includes("/")) {
    const slash = elf.path.lastIndexOf("/");
    const directory = slash < 0 ? "." : elf.path.slice(0, slash);
    candidates.push(`${directory}/${link.file}`, `${directory}/.debug/${link.file}`);
    if (directory.startsWith("/") || directory === "") {
      candidates.push(...roots.map((root) => `${root}${directory}/${link.file}`));
    }
  }
  return candidates.filter((candidate) => candidate !== elf.path);
}
