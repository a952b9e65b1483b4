/**
 * Places a program, and the dynamic linker it asks for, in an empty address space, as Linux's binfmt_elf does but at
 * fixed addresses. Always: what the user did wrong is an InputError of one sentence, and nothing else is thrown.
 */
import { type ElfFile, readElf, type Segment, segmentFlags, segmentTypes } from "../../program/elf/index.ts";
import { AT, type GuestFiles, type InodeId, S, textFromPath } from "../files/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { layout } from "../runtime/index.ts";
import { type AddressSpace, pageDown, pageUp } from "./address-space.ts";
import * as errors from "./errors.ts";
import { asksForFloatFlags } from "./float-questions.ts";

/** Where position-independent programs go; above what fixed ones use, below everything mapped later. */
const PIE_BASE = 0x0560_0000;
const EXECUTE_OK = 1;

export interface LoadedProgram {
  /** The file's own path, links followed. */
  readonly executable: string;
  readonly inode: InodeId;
  readonly executableStack: boolean;
  /** Where execution starts: in the dynamic linker if there is one. */
  readonly start: number;
  /** For the auxiliary vector: the program's own entry and headers, and where the dynamic linker lies (0: none). */
  readonly entry: number;
  readonly headers: number;
  readonly headerCount: number;
  readonly headerSize: number;
  readonly interpreterBase: number;
  readonly asksForFloatFlags: boolean;
}

interface Target {
  readonly memory: GuestMemory;
  readonly space: AddressSpace;
  readonly files: GuestFiles;
}

export function loadProgram(target: Target, path: string): LoadedProgram {
  const { space, files } = target;
  const inode = findProgram(files, path);
  const elf = readElf(readWhole(files, path), textFromPath(path));
  const interpreter = elf.interpreter === undefined ? undefined : readInterpreter(files, path, elf.interpreter);
  const bias = elf.type === "executable" ? 0 : PIE_BASE;
  mapSegments(target, elf, inode, bias);
  const end = Math.max(...loadable(elf).map(({ vaddr, memsz }) => vaddr + memsz));
  space.startBreak(pageUp(bias + end));
  const loaded = {
    executable: files.pathOf(inode),
    inode,
    executableStack: elf.executableStack,
    start: bias + elf.entry,
    entry: bias + elf.entry,
    headers: elf.phdrAddress === undefined ? 0 : bias + elf.phdrAddress,
    headerCount: elf.phnum,
    headerSize: elf.phentsize,
    interpreterBase: 0,
    asksForFloatFlags: asksForFloatFlags(elf.bytes),
  };
  if (interpreter === undefined) return loaded;
  const base = placeInterpreter(target, interpreter.elf, interpreter.inode);
  return { ...loaded, start: base + interpreter.elf.entry, interpreterBase: base };
}

function findProgram(files: GuestFiles, path: string): InodeId {
  const inode = files.lookup(path);
  if (inode < 0) throw errors.unreadable(path, inode);
  const type = files.statOf(inode as InodeId).mode & S.IFMT;
  if (type === S.IFDIR) throw errors.isDirectory(path);
  if (type !== S.IFREG) throw errors.notRegular(path);
  if (files.access(AT.FDCWD, path, EXECUTE_OK, 0) < 0) throw errors.notExecutable(path);
  return inode as InodeId;
}

function readWhole(files: GuestFiles, path: string): Uint8Array {
  const bytes = files.readFile(path);
  if (typeof bytes === "number") throw errors.unreadable(path, bytes);
  return bytes;
}

function readInterpreter(files: GuestFiles, path: string, interpreter: string): { elf: ElfFile; inode: InodeId } {
  const inode = files.lookup(interpreter);
  if (inode < 0) throw errors.missingInterpreter(path, interpreter, inode);
  const bytes = files.readFile(interpreter);
  if (typeof bytes === "number") throw errors.missingInterpreter(path, interpreter, bytes);
  const elf = readElf(bytes, textFromPath(interpreter));
  if (elf.interpreter !== undefined) throw errors.nestedInterpreter(path, interpreter);
  return { elf, inode: inode as InodeId };
}

const loadable = (elf: ElfFile): readonly Segment[] =>
  elf.segments.filter(({ type, memsz }) => type === segmentTypes.load && memsz > 0);

/** Segment flags are X W R from bit 0; protections are R W X. */
const protectionOf = (flags: number): number =>
  (flags & segmentFlags.read ? 1 : 0) | (flags & segmentFlags.write ? 2 : 0) | (flags & segmentFlags.execute ? 4 : 0);

/** As high as it fits, the way Linux puts it among the mappings. */
function placeInterpreter(target: Target, elf: ElfFile, inode: InodeId): number {
  if (elf.type === "executable") {
    mapSegments(target, elf, inode, 0);
    return 0;
  }
  const segments = loadable(elf);
  const first = pageDown(Math.min(...segments.map(({ vaddr }) => vaddr)));
  const length = pageUp(Math.max(...segments.map(({ vaddr, memsz }) => vaddr + memsz))) - first;
  const hole = target.space.map({ address: 0, length, protection: 0 });
  if (hole < 0) throw errors.doesNotFit(elf.path, first, first + length);
  target.space.unmap(hole, length);
  mapSegments(target, elf, inode, hole - first);
  return hole - first;
}

function mapSegments(target: Target, elf: ElfFile, inode: InodeId, bias: number): void {
  for (const segment of loadable(elf)) {
    const [start, end] = [bias + segment.vaddr, bias + segment.vaddr + segment.memsz];
    if (start < layout.guestStart || end > layout.guestEnd - STACK_ROOM) throw errors.doesNotFit(elf.path, start, end);
    mapSegment(target, elf, inode, segment, bias);
  }
}

/** Kept free above every program: the stack and its guard. */
const STACK_ROOM = 0x90_0000;

function mapSegment({ memory, space }: Target, elf: ElfFile, inode: InodeId, segment: Segment, bias: number): void {
  const start = bias + segment.vaddr;
  const fileEnd = start + segment.filesz;
  const protection = protectionOf(segment.flags);
  const fixed = "replace";
  const check = (result: number) => {
    if (result < 0) throw errors.tooMuchMemory(elf.path);
  };
  const from = pageDown(start);
  const mapped = segment.filesz > 0 ? pageUp(fileEnd) : from;
  if (mapped > from) {
    const file = { inode, offset: segment.offset - (start - from) };
    check(space.map({ address: from, length: mapped - from, protection, fixed, file }));
    // The rest of the last page shows what follows in the file, unless zeros are asked for.
    const zeros = Math.min(mapped, start + segment.memsz) - fileEnd;
    if (zeros > 0) memory.load(fileEnd, new Uint8Array(mapped - fileEnd));
  }
  const end = pageUp(start + segment.memsz);
  if (end > mapped) check(space.map({ address: mapped, length: end - mapped, protection, fixed }));
}
