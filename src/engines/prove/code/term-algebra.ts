/** Values that are terms: i32 and i64 of so many bits, v128 of 128. Floating point and the x87 unit are refused. */
import type { Algebra, HelperName, MacroName } from "../../../isa/ir/index.ts";
import type { NumericName, ValueType } from "../../../isa/wasm/index.ts";
import { laneFormulas, macroFormulas, scalarFormulas, shuffled, type Term, type Terms } from "../../../smt/index.ts";
import { Unencodable } from "./unencodable.ts";

export const bitsOf: Readonly<Record<ValueType, number>> = { i32: 32, i64: 64, f32: 32, f64: 64, v128: 128 };

export class TermAlgebra implements Algebra<Term> {
  readonly terms: Terms;
  /** The instruction whose doing values are. */
  at = 0;

  constructor(terms: Terms) {
    this.terms = terms;
  }

  constant(type: ValueType, value: bigint): Term {
    return this.terms.constant(bitsOf[type], value);
  }

  numeric(name: NumericName, args: readonly Term[], lane: number | undefined): Term {
    const formula = scalarFormulas[name] ?? laneFormulas[name];
    if (formula === undefined) throw new Unencodable(`there is no formula for ${name}`, this.at);
    return formula(this.terms, args, lane ?? 0);
  }

  shuffle(left: Term, right: Term, lanes: readonly number[]): Term {
    return shuffled(this.terms, left, right, lanes);
  }

  select(_type: ValueType, when: Term, then: Term, otherwise: Term): Term {
    return this.terms.choose(this.holds(when), then, otherwise);
  }

  macro(name: MacroName, args: readonly Term[]): Term {
    const formula = macroFormulas[name];
    if (formula === undefined) throw new Unencodable(`there is no formula for ${name}`, this.at);
    return formula(this.terms, args, 0);
  }

  helper(name: HelperName): Term {
    throw new Unencodable(`there is no formula for ${name}`, this.at);
  }

  /** A condition of the IR as a boolean. */
  holds(when: Term): Term {
    return this.terms.not(this.terms.equal(when, this.terms.constant(when.sort, 0n)));
  }
}
