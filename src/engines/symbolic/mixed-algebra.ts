/**
 * Computes with numbers and, where unknown input goes in, with terms beside them. What has no formula (floating point, the x87 unit)
 * has its operands fixed to what they are; that is asked of `fix`, which sees to it that the other values are followed too.
 */
import { type Algebra, type HelperName, type MacroName, macros, NumberAlgebra } from "../../isa/ir/index.ts";
import { type NumericName, numeric, type ValueType } from "../../isa/wasm/index.ts";
import {
  isConstant,
  laneFormulas,
  macroFormulas,
  scalarFormulas,
  shuffled,
  type Term,
  type Terms,
} from "../../smt/index.ts";
import { quickOperations } from "./quick-operations.ts";
import { isLater, known, later, type Value } from "./value.ts";

const formulas = { ...scalarFormulas, ...laneFormulas };
export const typeBits: Readonly<Record<ValueType, number>> = { i32: 32, i64: 64, f32: 32, f64: 64, v128: 128 };

/** Whether an operation on numbers can be left to a formula, or only to the machine. */
export const hasFormula = (name: MacroName): boolean => macroFormulas[name] !== undefined;

/** All share one: it makes a module for each operation when that is first asked for. */
const numbers = new NumberAlgebra();

/** The operations that most blocks are made of, without the way into WebAssembly. */
function computed(name: NumericName, args: readonly Value[], lane: number | undefined): bigint {
  const quick = quickOperations[name];
  if (quick !== undefined) return quick(args[0]!.bits!, args[1]?.bits ?? 0n);
  return numbers.numeric(name, args.map(({ bits }) => bits!), lane); // biome-ignore format: one call
}

export class MixedAlgebra implements Algebra<Value> {
  protected readonly terms: Terms;
  readonly #fix: (value: Value) => void;

  constructor(terms: Terms, fix: (value: Value) => void) {
    this.terms = terms;
    this.#fix = fix;
  }

  /** A value as a term, whether or not it depends on anything. */
  termOf({ bits, term }: Value, width: number): Term {
    return term ?? this.terms.constant(width, bits!);
  }

  protected made(bits: bigint, term: Term): Value {
    return isConstant(term) ? known(bits) : { bits, term };
  }

  /** The operands hold what they hold now, from here on. */
  #fixed(operands: readonly Value[]): void {
    for (const operand of operands) if (operand.term !== undefined) this.#fix(operand);
  }
  /** What comes of operands of which one will be known later. */
  #asLater(operands: readonly Value[]): Value {
    this.#fixed(operands);
    return later;
  }

  constant(type: ValueType, value: bigint): Value {
    return known(numbers.constant(type, value));
  }

  numeric(name: NumericName, args: readonly Value[], lane: number | undefined): Value {
    if (args.some(isLater)) return this.#asLater(args);
    const bits = computed(name, args, lane);
    if (args.every(({ term }) => term === undefined)) return known(bits);
    const formula = formulas[name];
    if (formula === undefined) {
      this.#fixed(args);
      return known(bits);
    }
    const { params } = numeric[name];
    const operands = args.map((arg, i) => this.termOf(arg, typeBits[params[i]!]));
    return this.made(bits, formula(this.terms, operands, lane ?? 0));
  }

  shuffle(left: Value, right: Value, lanes: readonly number[]): Value {
    if (isLater(left) || isLater(right)) return this.#asLater([left, right]);
    const bits = numbers.shuffle(left.bits!, right.bits!, lanes);
    if (left.term === undefined && right.term === undefined) return known(bits);
    return this.made(bits, shuffled(this.terms, this.termOf(left, 128), this.termOf(right, 128), lanes));
  }

  select(type: ValueType, when: Value, then: Value, otherwise: Value): Value {
    if (isLater(when)) return this.#asLater([then, otherwise]);
    const chosen = when.bits === 0n ? otherwise : then;
    if (when.term === undefined) return chosen;
    if (isLater(then) || isLater(otherwise)) return this.#asLater([when, then, otherwise]);
    const t = this.terms;
    const isNone = t.equal(when.term, t.constant(32, 0n));
    const width = typeBits[type];
    return this.made(chosen.bits!, t.choose(isNone, this.termOf(otherwise, width), this.termOf(then, width)));
  }

  macro(name: MacroName, args: readonly Value[]): Value {
    const formula = macroFormulas[name];
    if (formula === undefined || args.some(isLater)) return this.#asLater(args);
    const { params } = macros[name];
    const constants = args.map(({ bits }, i) => this.terms.constant(typeBits[params[i]!], bits!));
    const bits = formula(this.terms, constants, 0).value;
    if (args.every(({ term }) => term === undefined)) return known(bits);
    const operands = args.map((arg, i) => this.termOf(arg, typeBits[params[i]!]));
    return this.made(bits, formula(this.terms, operands, 0));
  }

  helper(_name: HelperName, args: readonly Value[]): Value {
    return this.#asLater(args);
  }
}
