/** One file with all that can be asked of it, each part read when it is first asked for. */
import { InputError } from "../../base/index.ts";
import type { Code } from "../../isa/control-flow/index.ts";
import {
  createSymbolizer,
  createTypeReader,
  createVariableReader,
  type ElfFile,
  fileOffsetOf,
  type Inflate,
  readImports,
  type Symbolizer,
  type TypeReader,
  type VariableReader,
} from "../elf/index.ts";

export interface DebugFileOptions {
  readonly inflate?: Inflate;
  readonly debugFile?: ElfFile;
}

export class DebugFile {
  readonly elf: ElfFile;
  readonly symbolizer: Symbolizer;
  /** The code, at the file's own addresses. */
  readonly code: Code;
  readonly #options: DebugFileOptions;
  #types: TypeReader | undefined;
  #variables: VariableReader | undefined;
  #imports: ReadonlyMap<number, string> | undefined;

  constructor(elf: ElfFile, options: DebugFileOptions) {
    this.elf = elf;
    this.#options = options;
    this.symbolizer = createSymbolizer(elf, options);
    this.code = { bytes: (address, length) => bytesAt(elf, address, length) };
  }

  get types(): TypeReader {
    this.#types ??= createTypeReader(this.elf, this.#options);
    return this.#types;
  }

  get variables(): VariableReader {
    this.#variables ??= createVariableReader(this.elf, this.#options);
    return this.#variables;
  }

  /** The symbol whose address the dynamic linker puts at an address. */
  importAt(slot: number): string | undefined {
    this.#imports ??= importsOf(this.elf);
    return this.#imports.get(slot);
  }
}

function bytesAt(elf: ElfFile, address: number, length: number): Uint8Array {
  const at = fileOffsetOf(elf.segments, address);
  return at === undefined ? new Uint8Array() : elf.bytes.subarray(at, Math.min(at + length, elf.bytes.length));
}

function importsOf(elf: ElfFile): ReadonlyMap<number, string> {
  try {
    return readImports(elf);
  } catch (error) {
    if (error instanceof InputError) return new Map();
    throw error;
  }
}
