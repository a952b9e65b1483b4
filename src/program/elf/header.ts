/**
 * The ELF64 file header (gabi chapter 4, "ELF Header"). A header that comes out of here is little-endian, 64-bit,
 * x86-64, and its program header table lies inside the file.
 */
import { Cursor } from "./cursor.ts";
import * as errors from "./errors.ts";

/** `executable` is fixed at its addresses (ET_EXEC); `dynamic` can be placed anywhere (ET_DYN: PIE, library). */
export type ElfType = "executable" | "dynamic" | "object" | "core";

export interface ElfHeader {
  readonly type: ElfType;
  readonly entry: number;
  readonly phoff: number;
  readonly phnum: number;
  readonly phentsize: number;
  readonly shoff: number;
  readonly shnum: number;
  readonly shentsize: number;
  readonly shstrndx: number;
}

const HEADER_SIZE = 64;
const PHENTSIZE = 56;
/** What Linux accepts: the table must fit 64 KiB. */
const MAX_PHNUM = Math.floor(0x1_0000 / PHENTSIZE);
const EM_386 = 3;
const EM_X86_64 = 62;
const types: Readonly<Record<number, ElfType>> = { 1: "object", 2: "executable", 3: "dynamic", 4: "core" };

export function readHeader(bytes: Uint8Array, path: string): ElfHeader {
  checkIdentity(bytes, path);
  const cursor = new Cursor(bytes, 16, bytes.length, () =>
    errors.truncated(path, "ELF header", HEADER_SIZE, bytes.length),
  );
  const typeNumber = cursor.u16();
  const machine = cursor.u16();
  if (machine !== EM_X86_64) throw errors.wrongMachine(path, machine);
  const version = cursor.u32();
  const entry = cursor.u64();
  const phoff = cursor.u64();
  const shoff = cursor.u64();
  cursor.skip(4 + 2); // e_flags, e_ehsize
  const phentsize = cursor.u16();
  const phnum = cursor.u16();
  const shentsize = cursor.u16();
  const shnum = cursor.u16();
  const shstrndx = cursor.u16();
  const type = types[typeNumber];
  if (type === undefined) throw errors.wrongType(path, typeNumber);
  if (version !== 1) throw errors.badHeader(path, `the ELF version is ${version} instead of 1`);
  const header = { type, entry, phoff, phnum, phentsize, shoff, shnum, shentsize, shstrndx };
  checkProgramHeaderTable(header, bytes.length, path);
  return header;
}

function checkIdentity(bytes: Uint8Array, path: string): void {
  if (bytes.length === 0) throw errors.emptyFile(path);
  if (bytes[0] === 0x23 && bytes[1] === 0x21) throw errors.isScript(path, scriptInterpreter(bytes));
  const magic = [0x7f, 0x45, 0x4c, 0x46];
  if (magic.some((byte, at) => at < bytes.length && bytes[at] !== byte)) throw errors.notElf(path);
  if (bytes.length < 20) throw errors.truncated(path, "ELF header", HEADER_SIZE, bytes.length);
  const fileClass = bytes[4] as number;
  const encoding = bytes[5] as number;
  const [first, second] = [bytes[18] as number, bytes[19] as number];
  if (encoding === 2) throw errors.wrongEndian(path, first * 256 + second);
  if (encoding !== 1) throw errors.badHeader(path, `the data encoding is ${encoding} instead of 1 (little-endian)`);
  const machine = first + second * 256;
  if (machine !== EM_X86_64 && machine !== EM_386) throw errors.wrongMachine(path, machine);
  if (fileClass === 1) throw errors.wrongClass(path);
  if (fileClass !== 2) throw errors.badHeader(path, `the file class is ${fileClass} instead of 2 (64-bit)`);
}

/** The program named on the first line, or a generic word when the line is unreadable. */
function scriptInterpreter(bytes: Uint8Array): string {
  const line = new TextDecoder().decode(bytes.subarray(2, 258)).split("\n", 1)[0] as string;
  const words = line.trim().split(/\s+/);
  const readable = /^[\x21-\x7e]+$/.test(words[0] as string);
  return readable ? (words[0] as string) : "an interpreter";
}

function checkProgramHeaderTable(header: ElfHeader, size: number, path: string): void {
  const { phoff, phnum, phentsize } = header;
  if (phnum === 0) return;
  if (phentsize !== PHENTSIZE) {
    throw errors.badHeader(path, `a program header has ${phentsize} bytes instead of ${PHENTSIZE}`);
  }
  if (phnum > MAX_PHNUM) throw errors.badHeader(path, `${phnum} program headers are more than Linux accepts`);
  if (phoff > Number.MAX_SAFE_INTEGER) throw errors.badHeader(path, "the program headers start at an absurd offset");
  const end = phoff + phnum * phentsize;
  if (end > size) throw errors.truncated(path, "program header table", end, size);
}
