/**
 * Conditions on one unknown byte, decided by trying all 256 values: exact, and without a solver. Most conditions of parsers are such.
 */
import { evaluateTerm, type Term } from "../../smt/index.ts";

const all = Array.from({ length: 256 }, (_, value) => value);

export class ByteValues {
  readonly #known = new Map<Term, ReadonlySet<number>>();

  /** Values of the byte for which the condition holds. */
  of(condition: Term): ReadonlySet<number> {
    let values = this.#known.get(condition);
    if (values === undefined) {
      values = new Set(all.filter((value) => evaluateTerm(condition, () => BigInt(value)) === 1n));
      this.#known.set(condition, values);
    }
    return values;
  }

  /** Values for which all hold. */
  common(conditions: readonly Term[]): readonly number[] {
    return all.filter((value) => conditions.every((condition) => this.of(condition).has(value)));
  }
}
