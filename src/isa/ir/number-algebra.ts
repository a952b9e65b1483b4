/**
 * The reference among algebras: a value is its bits as an unsigned bigint, and WebAssembly itself computes (bits-unit.ts). Macros and
 * helpers are the caller's: they look at a guest's floating-point state.
 */
import type { NumericName, ValueType } from "../wasm/index.ts";
import { asBits, BitsUnit } from "./bits-unit.ts";
import type { Algebra } from "./domain.ts";

export type PureAlgebra<V> = Omit<Algebra<V>, "macro" | "helper">;

export class NumberAlgebra implements PureAlgebra<bigint> {
  protected readonly unit = new BitsUnit();

  constant(type: ValueType, value: bigint): bigint {
    return asBits(type, value);
  }
  numeric(name: NumericName, args: readonly bigint[], lane?: number): bigint {
    return this.unit.numeric(name, args, lane);
  }
  shuffle(left: bigint, right: bigint, lanes: readonly number[]): bigint {
    return this.unit.shuffle(left, right, lanes);
  }
  select(_type: ValueType, when: bigint, then: bigint, otherwise: bigint): bigint {
    return when === 0n ? otherwise : then;
  }
}
