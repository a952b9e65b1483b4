/**
 * The evaluator's domain of numbers over a guest: a value is its bits. Registers, MXCSR and the x87 unit are those of the CPU
 * block, where the runtime's macros and helpers find them; flags and memory accesses are done here, without the runtime.
 */
import { assert } from "../../src/base/index.ts";
import {
  type Access,
  accessSize,
  type Domain,
  type HelperName,
  helpers,
  type LoadKind,
  type MacroName,
  macros,
  type NotedFlags,
  NumberAlgebra,
  type Register,
  type Store,
} from "../../src/isa/ir/index.ts";
import type { ValueType } from "../../src/isa/wasm/index.ts";
import type { GuestMemory } from "../../src/machine/memory/index.ts";
import { cpuAddress, info, pageBits, pageSize, type Runtime } from "../../src/machine/runtime/index.ts";

/** Why an access cannot be made. */
export type NumberFault =
  | { readonly kind: "protection" }
  | { readonly kind: "access"; readonly address: bigint; readonly write: boolean };

const registerBytes: Readonly<Record<ValueType, number>> = { i32: 4, i64: 8, f32: 4, f64: 8, v128: 16 };
const nothing: NotedFlags<bigint> = { kind: "raw", width: 32, left: 0n, right: 0n, result: 0n };

export class Numbers extends NumberAlgebra implements Domain<bigint, NumberFault> {
  readonly #memory: GuestMemory;
  readonly #exports: Runtime["exports"];
  #flags = nothing;

  constructor(memory: GuestMemory, runtime: Runtime) {
    super();
    this.#memory = memory;
    this.#exports = runtime.exports;
  }

  get flags(): NotedFlags<bigint> {
    return this.#flags;
  }
  /** Also shows that narrow operands are zero-extended, as blocks promise (isa/ir/block.ts). */
  set flags(noted: NotedFlags<bigint>) {
    const { width, left, right, result } = noted;
    const fits = [left, right, result].every((value) => BigInt.asUintN(width, value) === value);
    assert(fits, `evaluator: operands of ${width}-bit flags have no bits above`);
    this.#flags = noted;
  }

  macro(name: MacroName, args: readonly bigint[]): bigint {
    const { params, result } = macros[name];
    return this.unit.call(name, { params, results: [result] }, this.#exports[name], args);
  }
  helper(name: HelperName, args: readonly bigint[]): bigint {
    const { params, result } = helpers[name];
    const key = `helper.${name}`;
    return this.unit.call(key, { params, results: [result] }, this.#exports[key], args);
  }
  decide(when: bigint): boolean {
    return when !== 0n;
  }

  get({ offset, type }: Register): bigint {
    return this.#read(cpuAddress(offset), registerBytes[type]);
  }
  put({ offset, type }: Register, value: bigint): void {
    this.#memory.bytes.set(bytesOf(value, registerBytes[type]), cpuAddress(offset));
  }

  /** The first byte that may not be used: the access's own, or the next page's. */
  check({ kind, address, size, aligned }: Access<bigint>): NumberFault | undefined {
    if (aligned && address % 16n !== 0n) return { kind: "protection" };
    const write = kind === "store" || kind === "probe";
    const needed = write ? info.write : info.read;
    const isAllowed = (at: bigint) => at >> 32n === 0n && (this.#memory.infoOf(Number(at) >>> pageBits) & needed) !== 0;
    if (!isAllowed(address)) return { kind: "access", address, write };
    const last = Number(address) + size - 1;
    const next = BigInt(last - (last % pageSize));
    return next <= address || isAllowed(next) ? undefined : { kind: "access", address: next, write };
  }
  load(access: LoadKind, address: bigint): bigint {
    return this.#read(Number(address), accessSize[access]);
  }
  store({ access, address, value, upper, when }: Store<bigint>): void {
    const stored = upper === undefined ? value : value | (upper << 128n);
    if (when !== 0n) this.#memory.load(Number(address), bytesOf(stored, accessSize[access]));
  }
  #read(at: number, size: number): bigint {
    let value = 0n;
    for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.#memory.bytes[at + i]!);
    return value;
  }

  begin(): void {}
  flush(): void {}
  fence(): void {}
  patch(): void {}
  frames(): void {}
}

const bytesOf = (value: bigint, size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
