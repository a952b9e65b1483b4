/**
 * Reads the modules that src/isa/wasm writes: what is imported, which function is exported under which name, and the bodies.
 * Only what our encoder can write is known here (WebAssembly core specification, chapter 5).
 */
import { assert } from "../../src/base/index.ts";
import type { ValueType } from "../../src/isa/wasm/index.ts";

export class Reader {
  readonly #bytes: Uint8Array;
  at: number;
  readonly end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.at = at;
    this.end = end;
  }
  get isDone(): boolean {
    return this.at >= this.end;
  }
  byte(): number {
    assert(this.at < this.end, "wasm text: the bytes end within an instruction");
    return this.#bytes[this.at++]!;
  }
  bytes(count: number): Uint8Array {
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }
  /** LEB128, as wide as a bigint goes. */
  #leb(): { readonly value: bigint; readonly bits: number; readonly last: number } {
    let value = 0n;
    for (let bits = 0; ; ) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << BigInt(bits);
      bits += 7;
      if ((byte & 0x80) === 0) return { value, bits, last: byte };
    }
  }
  unsigned(): number {
    return Number(this.#leb().value);
  }
  signed(): bigint {
    const { value, bits } = this.#leb();
    return BigInt.asIntN(bits, value);
  }
  name(): string {
    return new TextDecoder().decode(this.bytes(this.unsigned()));
  }
  list<T>(read: () => T): T[] {
    return Array.from({ length: this.unsigned() }, read);
  }
  part(length: number): Reader {
    this.at += length;
    return new Reader(this.#bytes, this.at - length, this.at);
  }
}

const valueTypes: Readonly<Record<number, ValueType>> = {
  127: "i32",
  126: "i64",
  125: "f32",
  124: "f64",
  123: "v128",
};
export const readType = (code: number): ValueType => {
  const type = valueTypes[code];
  assert(type !== undefined, `wasm text: 0x${code.toString(16)} is a type`);
  return type;
};

export interface FunctionType {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}
export interface WasmFunction {
  readonly name: string;
  readonly type: FunctionType;
  /** Undefined for imports. */
  readonly body: { readonly locals: readonly ValueType[]; readonly code: Reader } | undefined;
}

export interface WasmModule {
  readonly types: readonly FunctionType[];
  /** By index, imports first. Those without a name of their own are called by their index. */
  readonly functions: readonly WasmFunction[];
}

const section = { type: 1, import: 2, function: 3, export: 7, code: 10 } as const;

function sectionsOf(bytes: Uint8Array): ReadonlyMap<number, Reader> {
  const reader = new Reader(bytes, 8);
  const sections = new Map<number, Reader>();
  while (!reader.isDone) {
    const id = reader.byte();
    sections.set(id, reader.part(reader.unsigned()));
  }
  return sections;
}

/** A memory, which is all that compiled modules import beside functions, has a name and its limits. */
function readImport(reader: Reader): { readonly name: string; readonly type: number } | undefined {
  reader.name();
  const name = reader.name();
  const kind = reader.byte();
  if (kind === 0) return { name, type: reader.unsigned() };
  assert(kind === 2, "wasm text: only functions and a memory are imported");
  const hasMost = (reader.byte() & 1) !== 0;
  reader.unsigned();
  if (hasMost) reader.unsigned();
  return undefined;
}

function readBody(reader: Reader): NonNullable<WasmFunction["body"]> {
  const code = reader.part(reader.unsigned());
  const runs = code.list(() => [code.unsigned(), readType(code.byte())] as const);
  return { locals: runs.flatMap(([count, type]) => Array.from({ length: count }, () => type)), code };
}

const readFunctionType = (reader: Reader): FunctionType => {
  assert(reader.byte() === 0x60, "wasm text: a type is a function's");
  const types = () => reader.list(() => readType(reader.byte()));
  return { params: types(), results: types() };
};

export function readModule(bytes: Uint8Array): WasmModule {
  const sections = sectionsOf(bytes);
  const read = <T>(id: number, one: (reader: Reader) => T): T[] => {
    const reader = sections.get(id);
    return reader ? reader.list(() => one(reader)) : [];
  };
  const types = read(section.type, readFunctionType);
  const imports = read(section.import, readImport).filter((entry) => entry !== undefined);
  const own = read(section.function, (reader) => reader.unsigned());
  const exported = new Map(
    read(section.export, (reader) => {
      const name = reader.name();
      assert(reader.byte() === 0, "wasm text: only functions are exported");
      return [reader.unsigned(), name] as const;
    }),
  );
  const bodies = read(section.code, readBody);
  return {
    types,
    functions: [
      ...imports.map(({ name, type }) => ({ name, type: types[type]!, body: undefined })),
      ...own.map((type, i) => {
        const index = imports.length + i;
        return { name: exported.get(index) ?? `${index}`, type: types[type]!, body: bodies[i]! };
      }),
    ],
  };
}
