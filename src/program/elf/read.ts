/**
 * The whole of an ELF file as the loader sees it. What only tools need (sections, symbols, notes, DWARF) is read later,
 * by functions over the ElfFile, so that garbage there cannot keep a program from running.
 */
import { Cursor } from "./cursor.ts";
import * as errors from "./errors.ts";
import { type ElfHeader, type ElfType, readHeader } from "./header.ts";
import { addressOfOffset, checkLoadable, readSegments, type Segment, segmentFlags, segmentTypes } from "./segments.ts";

export interface ElfFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly header: ElfHeader;
  readonly type: ElfType;
  readonly entry: number;
  readonly segments: readonly Segment[];
  /** Link-time address of the program header table in memory (for AT_PHDR); undefined when no segment maps it. */
  readonly phdrAddress: number | undefined;
  readonly phnum: number;
  readonly phentsize: number;
  /** The dynamic linker a program asks for; undefined for a static program or a library. */
  readonly interpreter: string | undefined;
  readonly tls: Segment | undefined;
  /** What PT_GNU_STACK asks for; without one, x86-64 Linux gives a stack that cannot be executed. */
  readonly executableStack: boolean;
}

/** `load` checks all a loader relies on; `symbols` also takes separate debug files, whose segments have no content. */
export type Purpose = "load" | "symbols";

const MAX_PATH = 4096;

export function readElf(bytes: Uint8Array, path: string, purpose: Purpose = "load"): ElfFile {
  const header = readHeader(bytes, path);
  const segments = readSegments(bytes, header, path);
  if (purpose === "load") {
    if (header.type === "object") throw errors.wrongType(path, 1);
    if (header.type === "core") throw errors.wrongType(path, 4);
    checkLoadable(segments, bytes.length, path);
  }
  const first = (type: number) => segments.find((segment) => segment.type === type);
  return {
    path,
    bytes,
    header,
    type: header.type,
    entry: header.entry,
    segments,
    phdrAddress: addressOfOffset(segments, header.phoff),
    phnum: header.phnum,
    phentsize: header.phentsize,
    interpreter: purpose === "load" ? readInterpreter(bytes, first(segmentTypes.interpreter), path) : undefined,
    tls: first(segmentTypes.tls),
    executableStack: ((first(segmentTypes.gnuStack)?.flags ?? 0) & segmentFlags.execute) !== 0,
  };
}

function readInterpreter(bytes: Uint8Array, segment: Segment | undefined, path: string): string | undefined {
  if (segment === undefined) return undefined;
  const { offset, filesz } = segment;
  if (filesz < 2 || filesz > MAX_PATH) throw errors.badInterpreter(path, `the name takes ${filesz} bytes`);
  if (offset + filesz > bytes.length) throw errors.badInterpreter(path, "the name lies outside the file");
  const unterminated = () => errors.badInterpreter(path, "the name does not end in a NUL byte");
  if (bytes[offset + filesz - 1] !== 0) throw unterminated();
  const name = new Cursor(bytes, offset, offset + filesz, unterminated).text();
  if (name === "") throw errors.badInterpreter(path, "the name is empty");
  return name;
}
