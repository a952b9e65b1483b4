/**
 * Everything that can be wrong with a program file, one function per message: a stable code, one sentence that says
 * what to do next, and the facts as data. Nothing else in this folder builds an InputError.
 */
import { InputError } from "../../base/index.ts";

/** Names of e_machine values a user is likely to meet (gabi, "Machine Information"). */
const machineNames: Readonly<Record<number, string>> = {
  2: "SPARC",
  3: "32-bit x86",
  8: "MIPS",
  20: "PowerPC",
  21: "64-bit PowerPC",
  22: "IBM S/390",
  40: "32-bit ARM",
  43: "64-bit SPARC",
  62: "x86-64",
  183: "AArch64 (64-bit ARM)",
  243: "RISC-V",
  247: "BPF",
  258: "LoongArch",
};

const nameOfMachine = (machine: number) => machineNames[machine] ?? `machine ${machine}`;

export const emptyFile = (path: string) =>
  new InputError("elf/empty", `${path} is empty; give an x86-64 ELF program.`, { path });

export const isScript = (path: string, interpreter: string) =>
  new InputError(
    "elf/script",
    `${path} is a script for ${interpreter}, not an ELF program; run its interpreter and pass the script to it.`,
    { path, interpreter },
  );

export const notElf = (path: string) =>
  new InputError("elf/not-elf", `${path} is not an ELF program: it does not start with the ELF magic bytes.`, { path });

export const truncated = (path: string, what: string, needed: number, size: number) =>
  new InputError(
    "elf/truncated",
    `${path} is truncated: its ${what} ends at byte ${needed}, but the file has ${size} bytes. Build or copy it again.`,
    { path, what, needed, size },
  );

export const wrongEndian = (path: string, machine: number) =>
  new InputError(
    "elf/big-endian",
    `${path} is a big-endian program for ${nameOfMachine(machine)}; only little-endian x86-64 can run here.`,
    { path, machine },
  );

export const wrongMachine = (path: string, machine: number) =>
  new InputError(
    "elf/wrong-machine",
    `${path} is built for ${nameOfMachine(machine)}; only x86-64 can run here. Rebuild it for x86-64.`,
    { path, machine },
  );

export const wrongClass = (path: string) =>
  new InputError("elf/32-bit", `${path} is a 32-bit program; only 64-bit x86-64 can run here. Rebuild it with -m64.`, {
    path,
  });

const typeAdvice: Readonly<Record<number, string>> = {
  0: "has no file type",
  1: "is an object file; link it into a program first",
  4: "is a core dump, not a program",
};

export const wrongType = (path: string, type: number) =>
  new InputError("elf/wrong-type", `${path} ${typeAdvice[type] ?? `has the unknown ELF file type ${type}`}.`, {
    path,
    type,
  });

export const badHeader = (path: string, what: string) =>
  new InputError("elf/bad-header", `${path} has a corrupted ELF header: ${what}.`, { path, what });

export const badSegment = (path: string, index: number, what: string) =>
  new InputError("elf/bad-segment", `${path} has a corrupted program header ${index}: ${what}.`, { path, index, what });

export const overlappingSegments = (path: string, first: number, second: number) =>
  new InputError(
    "elf/overlapping-segments",
    `${path} has corrupted program headers: segments ${first} and ${second} overlap in memory.`,
    { path, first, second },
  );

export const nothingToLoad = (path: string) =>
  new InputError("elf/nothing-to-load", `${path} has no loadable segment; give a linked program or library.`, { path });

export const badInterpreter = (path: string, what: string) =>
  new InputError("elf/bad-interpreter", `${path} names its program interpreter badly: ${what}.`, { path, what });

export const badDynamic = (path: string, what: string) =>
  new InputError("elf/bad-dynamic", `${path} has a corrupted dynamic section: ${what}.`, { path, what });

export const badSections = (path: string, what: string) =>
  new InputError("elf/bad-sections", `${path} has a corrupted section table: ${what}.`, { path, what });

export const badSymbols = (path: string, what: string) =>
  new InputError("elf/bad-symbols", `${path} has a corrupted symbol table: ${what}.`, { path, what });

export const badNotes = (path: string) => new InputError("elf/bad-notes", `${path} has corrupted notes.`, { path });

export const badDebugInfo = (path: string, what: string) =>
  new InputError("elf/bad-debug-info", `${path} has corrupted debug information: ${what}.`, { path, what });

export const compressedDebugInfo = (path: string, section: string, method: string) =>
  new InputError(
    "elf/compressed-debug-info",
    `${path} has its section ${section} compressed with ${method}, which cannot be read here; decompress it with objcopy --decompress-debug-sections.`,
    { path, section, method },
  );
