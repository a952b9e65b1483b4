/**
 * Assembles a WebAssembly module: types, imports, functions, exports, and the branch hint section (as the branch
 * hinting proposal lays it out). Function indices: imports first, in the order they were added, so imports come first.
 */
import { assert } from "../../base/index.ts";
import { Bytes } from "./bytes.ts";
import { type Code, valueTypeCode } from "./code.ts";
import type { ValueType } from "./numeric.ts";

export interface Signature {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

const sectionIds = { type: 1, import: 2, function: 3, table: 4, global: 6, export: 7, element: 9, code: 10 } as const;

/** Limits of a memory: shared, and it has a bound. */
const sharedWithMost = 3;

export class ModuleBuilder {
  readonly #types: string[] = [];
  readonly #typeBytes = new Bytes();
  readonly #imports: ((out: Bytes) => void)[] = [];
  readonly #functions: { readonly type: number; code: Code | undefined }[] = [];
  readonly #exports: { readonly name: string; readonly kind: number; readonly index: number }[] = [];
  readonly #globals: { readonly type: ValueType; readonly initial: number }[] = [];
  #importedFunctions = 0;
  #importedGlobals = 0;
  #tableSize: number | undefined;

  type(signature: Signature): number {
    const key = `${signature.params.join()}:${signature.results.join()}`;
    const known = this.#types.indexOf(key);
    if (known >= 0) return known;
    this.#types.push(key);
    this.#typeBytes.byte(0x60);
    for (const list of [signature.params, signature.results]) {
      this.#typeBytes.unsigned(list.length);
      for (const type of list) this.#typeBytes.byte(valueTypeCode[type]);
    }
    return this.#types.length - 1;
  }

  #import(module: string, name: string, describe: (out: Bytes) => void): void {
    this.#imports.push((out) => {
      out.name(module);
      out.name(name);
      describe(out);
    });
  }

  importFunction(module: string, name: string, signature: Signature): number {
    assert(this.#functions.length === 0, "wasm: imports come before functions");
    const type = this.type(signature);
    this.#import(module, name, (out) => {
      out.byte(0);
      out.unsigned(type);
    });
    return this.#importedFunctions++;
  }

  /** One that `createMemory` made (base/module-memory.ts). */
  importMemory(module: string, name: string, pages: number, most = pages): void {
    this.#import(module, name, (out) => {
      out.all([2, sharedWithMost]);
      out.unsigned(pages);
      out.unsigned(most);
    });
  }

  importTable(module: string, name: string, minimum: number): void {
    this.#import(module, name, (out) => {
      out.all([1, 0x70, 0]);
      out.unsigned(minimum);
    });
  }

  importGlobal(module: string, name: string, type: ValueType, mutable: boolean): number {
    this.#import(module, name, (out) => out.all([3, valueTypeCode[type], mutable ? 1 : 0]));
    return this.#importedGlobals++;
  }

  /** A mutable integer global of this module. */
  global(type: "i32" | "i64", initial = 0): number {
    this.#globals.push({ type, initial });
    return this.#importedGlobals + this.#globals.length - 1;
  }

  table(size: number): void {
    this.#tableSize = size;
  }

  /** Reserves an index now; the body may be given later, so functions can call each other. */
  declare(signature: Signature): number {
    this.#functions.push({ type: this.type(signature), code: undefined });
    return this.#importedFunctions + this.#functions.length - 1;
  }

  define(index: number, code: Code): void {
    const declared = this.#functions[index - this.#importedFunctions];
    assert(declared !== undefined && declared.code === undefined, "wasm: a body is given once to a declared function");
    assert(code.depth === 0, "wasm: every block is closed");
    declared.code = code;
  }

  function(signature: Signature, code: Code): number {
    const index = this.declare(signature);
    this.define(index, code);
    return index;
  }

  exportFunction(name: string, index: number): void {
    this.#exports.push({ name, kind: 0, index });
  }
  exportTable(name: string): void {
    this.#exports.push({ name, kind: 1, index: 0 });
  }
  exportGlobal(name: string, index: number): void {
    this.#exports.push({ name, kind: 3, index });
  }

  build(): Uint8Array<ArrayBuffer> {
    const out = new Bytes(4096);
    out.all([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    const section = (id: number, count: number, fill: (body: Bytes) => void) => {
      if (count === 0) return;
      const body = new Bytes(1024);
      body.unsigned(count);
      fill(body);
      out.byte(id);
      out.unsigned(body.length);
      out.append(body);
    };
    section(sectionIds.type, this.#types.length, (body) => body.append(this.#typeBytes));
    section(sectionIds.import, this.#imports.length, (body) => {
      for (const write of this.#imports) write(body);
    });
    section(sectionIds.function, this.#functions.length, (body) => {
      for (const { type } of this.#functions) body.unsigned(type);
    });
    const tableSize = this.#tableSize;
    if (tableSize !== undefined)
      section(sectionIds.table, 1, (body) => {
        body.all([0x70, 0]);
        body.unsigned(tableSize);
      });
    section(sectionIds.global, this.#globals.length, (body) => {
      for (const { type, initial } of this.#globals) {
        body.all([valueTypeCode[type], 1, type === "i32" ? 0x41 : 0x42]);
        body.signed32(initial);
        body.byte(0x0b);
      }
    });
    section(sectionIds.export, this.#exports.length, (body) => {
      for (const { name, kind, index } of this.#exports) {
        body.name(name);
        body.byte(kind);
        body.unsigned(index);
      }
    });
    this.#code(out);
    return out.view();
  }

  #code(out: Bytes): void {
    const code = new Bytes(16384);
    const hints = new Bytes(1024);
    let hinted = 0;
    code.unsigned(this.#functions.length);
    for (const [position, { code: body }] of this.#functions.entries()) {
      assert(body !== undefined, "wasm: every declared function has a body");
      const locals = body.localDeclarations();
      code.unsigned(locals.length + body.bytes.length + 1);
      code.append(locals);
      code.append(body.bytes);
      code.byte(0x0b);
      if (body.hints.length === 0) continue;
      hinted++;
      hints.unsigned(this.#importedFunctions + position);
      hints.unsigned(body.hints.length);
      for (const { offset, likely } of body.hints) {
        hints.unsigned(locals.length + offset);
        hints.all([1, likely]);
      }
    }
    if (hinted > 0) {
      const custom = new Bytes(hints.length + 64);
      custom.name("metadata.code.branch_hint");
      custom.unsigned(hinted);
      custom.append(hints);
      out.byte(0);
      out.unsigned(custom.length);
      out.append(custom);
    }
    out.byte(sectionIds.code);
    out.unsigned(code.length);
    out.append(code);
  }
}
