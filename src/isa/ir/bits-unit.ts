/**
 * Numeric operations on numbers, by the engine's own instructions: for domains whose values are, or may be, concrete. A
 * value is its bits as an unsigned bigint, whatever its type, so that no NaN is changed on the way. An operation is a small
 * module of its own, made when it is first asked for.
 */
import { createMemory } from "../../base/index.ts";
import { Code, ModuleBuilder, type NumericName, numeric, type Signature, type ValueType } from "../wasm/index.ts";

const bitsOf: Readonly<Record<ValueType, number>> = { i32: 32, i64: 64, f32: 32, f64: 64, v128: 128 };
const slotBytes = 16;
const resultAt = 8 * slotBytes;

/** Bits of a constant as blocks give them. */
export const asBits = (type: ValueType, value: bigint): bigint => BigInt.asUintN(bitsOf[type], value);

type Apply = (args: readonly bigint[]) => bigint;

export class BitsUnit {
  readonly #memory = createMemory(1);
  readonly #view = new DataView(this.#memory.buffer);
  readonly #known = new Map<string, Apply>();

  numeric(name: NumericName, args: readonly bigint[], lane?: number): bigint {
    const { params, result } = numeric[name];
    const key = lane === undefined ? name : `${name}/${lane}`;
    return this.#apply(key, { params, results: [result] }, (c) => c.op(name, lane))(args);
  }

  shuffle(left: bigint, right: bigint, lanes: readonly number[]): bigint {
    const signature = { params: ["v128", "v128"], results: ["v128"] } as const;
    return this.#apply(`shuffle ${lanes}`, signature, (c) => c.shuffle(lanes))([left, right]);
  }

  /** A function of another module, which may take vectors. */
  call(name: string, signature: Signature, imported: unknown, args: readonly bigint[]): bigint {
    return this.#apply(name, signature, (c) => c.call(0), imported)(args);
  }

  #apply(key: string, signature: Signature, emit: (c: Code) => void, imported?: unknown): Apply {
    let apply = this.#known.get(key);
    if (!apply) {
      apply = this.#make(signature, emit, imported);
      this.#known.set(key, apply);
    }
    return apply;
  }

  #make(signature: Signature, emit: (c: Code) => void, imported: unknown): Apply {
    const { params, results } = signature;
    const [result] = results as readonly [ValueType];
    const module = new ModuleBuilder();
    module.importMemory("unit", "memory", 1, 1);
    if (imported) module.importFunction("unit", "imported", signature);
    const c = new Code([]);
    c.i32(0);
    for (const [i, type] of params.entries()) c.i32(0).memory(`${type}.load`, i * slotBytes);
    emit(c);
    c.memory(`${result}.store`, resultAt);
    module.exportFunction("run", module.function({ params: [], results: [] }, c));
    const instance = new WebAssembly.Instance(new WebAssembly.Module(module.build()), {
      unit: { memory: this.#memory, imported },
    });
    const run = instance.exports.run as () => void;
    return (args) => {
      for (const [i, value] of args.entries()) this.#write(i * slotBytes, value);
      run();
      return this.#read(resultAt, bitsOf[result]);
    };
  }

  #write(at: number, value: bigint): void {
    this.#view.setBigUint64(at, value, true);
    this.#view.setBigUint64(at + 8, value >> 64n, true);
  }
  #read(at: number, bits: number): bigint {
    if (bits === 32) return BigInt(this.#view.getUint32(at, true));
    const low = this.#view.getBigUint64(at, true);
    return bits === 64 ? low : low | (this.#view.getBigUint64(at + 8, true) << 64n);
  }
}
