/**
 * Terms over booleans and bit vectors, and how they are made. Always:
 * - Terms that are made alike are the same object, so that identity is equality of form.
 * - A term is simplified when it is made and never afterwards; what is constant by its known bits is a constant.
 * - Operands have the sorts that the operator asks for; a term of one house is never mixed with another's.
 */
import { assert } from "../base/index.ts";
import { greatestOf, type KnownBits, knownConstant, leastOf, nothingKnown, transfers } from "./known-bits.ts";
import { type Arithmetic, type Comparison, held, meanings, type Sort, type TermOperator } from "./operators.ts";

export interface Term {
  /** Operands have smaller numbers. */
  readonly id: number;
  readonly sort: Sort;
  readonly op: TermOperator | "constant" | "variable";
  readonly operands: readonly Term[];
  /** A constant's value, or the lowest bit that is extracted. */
  readonly value: bigint;
  readonly name: string;
}

/** Of more cases no two are held against each other. */
const mostMerged = 12;
const conjunctsOf = (term: Term): readonly Term[] => (term.op === "and" ? term.operands : [term]);

export const isConstant = (term: Term): boolean => term.op === "constant";
const widthOf = (term: Term): number => {
  assert(term.sort !== "bool", "bit vectors are computed with, not booleans");
  return term.sort;
};

export class Terms {
  readonly #known = new Map<string, Term>();
  /** By the terms' numbers. */
  readonly #bits: KnownBits[] = [];
  readonly true: Term = this.constant("bool", 1n);
  readonly false: Term = this.constant("bool", 0n);

  get count(): number {
    return this.#bits.length;
  }

  /** What a term of bits may be worth as far as its bits are known; undefined where that is more than `most` values. */
  valuesByBits(term: Term, most: number): bigint[] | undefined {
    const { zeros, ones } = this.#bits[term.id]!;
    const free: bigint[] = [];
    for (let bit = 0; bit < widthOf(term); bit++) {
      const one = 1n << BigInt(bit);
      if (((zeros | ones) & one) === 0n) free.push(one);
      if (2 ** free.length > most) return undefined;
    }
    return free.reduce((values, bit) => [...values, ...values.map((value) => value | bit)], [ones]);
  }

  #made(sort: Sort, op: Term["op"], operands: readonly Term[], value = 0n, name = ""): Term {
    const key = `${op} ${sort} ${value} ${name} ${operands.map(({ id }) => id).join(" ")}`;
    let term = this.#known.get(key);
    if (term === undefined) {
      const bits = this.#bitsFor(sort, op, operands, value);
      if (sort !== "bool" && op !== "constant" && (bits.zeros | bits.ones) === (1n << BigInt(sort)) - 1n)
        term = this.constant(sort, bits.ones);
      else {
        term = { id: this.#bits.length, sort, op, operands, value, name };
        this.#bits.push(bits);
      }
      this.#known.set(key, term);
    }
    return term;
  }

  #bitsFor(sort: Sort, op: Term["op"], operands: readonly Term[], value: bigint): KnownBits {
    if (sort === "bool" || op === "variable") return nothingKnown;
    if (op === "constant") return knownConstant(value, sort);
    const operandWidths = operands.map((operand) => (operand.sort === "bool" ? 1 : operand.sort));
    return (
      transfers[op]?.(
        operands.map((operand) => this.bitsOf(operand)),
        { width: sort, operandWidths, value },
      ) ?? nothingKnown
    );
  }

  /** Bits of a bit vector that are the same whatever its variables are worth. */
  bitsOf(term: Term): KnownBits {
    return this.#bits[term.id]!;
  }

  constant(sort: Sort, value: bigint): Term {
    return this.#made(sort, "constant", [], held(sort, value));
  }

  truth(holds: boolean): Term {
    return holds ? this.true : this.false;
  }

  variable(sort: Sort, name: string): Term {
    return this.#made(sort, "variable", [], 0n, name);
  }

  not(term: Term): Term {
    if (isConstant(term)) return this.truth(term.value === 0n);
    if (term.op === "not") return term.operands[0]!;
    return this.#made("bool", "not", [term]);
  }

  and(...terms: readonly Term[]): Term {
    return this.#joined("and", this.true, this.false, terms);
  }

  or(...terms: readonly Term[]): Term {
    return this.#joined("or", this.false, this.true, terms);
  }

  implies(condition: Term, then: Term): Term {
    return this.or(this.not(condition), then);
  }

  /** Flattened, in one order, without doubles; something together with its opposite decides it. */
  #joined(op: "and" | "or", neutral: Term, decisive: Term, terms: readonly Term[]): Term {
    const parts = new Set<Term>();
    for (const term of terms) {
      assert(term.sort === "bool", "connectives join booleans");
      for (const part of term.op === op ? term.operands : [term]) if (part !== neutral) parts.add(part);
    }
    if (parts.has(decisive)) return decisive;
    for (const part of parts) if (part.op === "not" && parts.has(part.operands[0]!)) return decisive;
    if (op === "or" && parts.size <= mostMerged) this.#mergeCases(parts);
    const ordered = [...parts].sort((a, b) => a.id - b.id);
    if (ordered.length === 0) return neutral;
    return ordered.length === 1 ? ordered[0]! : this.#made("bool", op, ordered);
  }

  /** Two cases that differ in one condition are one without it, and a case of another says nothing more: branches that meet again. */
  #mergeCases(parts: Set<Term>): void {
    for (const one of parts)
      for (const other of parts) {
        if (one === other || !parts.has(one)) continue;
        const common = this.#merged(one, other);
        if (common === undefined) continue;
        parts.delete(one);
        parts.delete(other);
        for (const part of common.op === "or" ? common.operands : [common]) parts.add(part);
        this.#mergeCases(parts);
        return;
      }
  }

  #merged(one: Term, other: Term): Term | undefined {
    const [all, others] = [conjunctsOf(one), new Set(conjunctsOf(other))];
    const more = all.filter((part) => !others.has(part));
    if (more.length === 0) return one;
    if (more.length > 1 || all.length !== others.size) return undefined;
    const opposite = this.not(more[0]!);
    if (!others.has(opposite)) return undefined;
    return this.and(...all.filter((part) => part !== more[0]));
  }

  choose(condition: Term, yes: Term, no: Term): Term {
    assert(condition.sort === "bool" && yes.sort === no.sort, "a condition chooses between terms of one sort");
    if (isConstant(condition)) return condition.value === 1n ? yes : no;
    if (yes === no) return yes;
    if (condition.op === "not") return this.choose(condition.operands[0]!, no, yes);
    if (yes.sort === "bool") return this.or(this.and(condition, yes), this.and(this.not(condition), no));
    return this.#made(yes.sort, "choose", [condition, yes, no]);
  }

  equal(a: Term, b: Term): Term {
    assert(a.sort === b.sort, "only terms of one sort are compared");
    if (a === b) return this.true;
    if (isConstant(a) && isConstant(b)) return this.false;
    const [first, second] = a.id < b.id ? [a, b] : [b, a];
    if (a.sort === "bool") return this.choose(first, second, this.not(second));
    const [bits, others] = [this.bitsOf(a), this.bitsOf(b)];
    if ((bits.zeros & others.ones) | (bits.ones & others.zeros)) return this.false;
    if (isConstant(a)) return this.#equalsConstant(b, a.value) ?? this.#made("bool", "equal", [first, second]);
    if (isConstant(b)) return this.#equalsConstant(a, b.value) ?? this.#made("bool", "equal", [first, second]);
    return this.#made("bool", "equal", [first, second]);
  }

  /** Taken apart where the term is; undefined where it cannot be. */
  #equalsConstant(term: Term, value: bigint): Term | undefined {
    const part = (of: Term, low: number) => this.equal(of, this.constant(of.sort, value >> BigInt(low)));
    const [first, second, third] = term.operands as [Term, Term, Term];
    if (term.op === "concat") return this.and(part(first, widthOf(second)), part(second, 0));
    // Bits above are known, and were compared.
    if (term.op === "extend") return part(first, 0);
    if (term.op === "choose" && (isConstant(second) || isConstant(third)))
      return this.choose(first, part(second, 0), part(third, 0));
    return undefined;
  }

  compare(op: Comparison, a: Term, b: Term): Term {
    if (op === "equal") return this.equal(a, b);
    assert(widthOf(a) === widthOf(b), "only terms of one sort are compared");
    if (a === b) return this.false;
    if (isConstant(a) && isConstant(b)) return this.#folded("bool", op, [a, b]);
    if (op === "below") {
      const [left, right] = [this.bitsOf(a), this.bitsOf(b)];
      if (greatestOf(left, widthOf(a)) < leastOf(right)) return this.true;
      if (leastOf(left) >= greatestOf(right, widthOf(b))) return this.false;
    }
    return this.#made("bool", op, [a, b]);
  }

  compute(op: Arithmetic, a: Term, b: Term): Term {
    assert(widthOf(a) === widthOf(b), "both operands are equally wide");
    if (isConstant(a) && isConstant(b)) return this.#folded(a.sort, op, [a, b]);
    const same = this.#unchanged(op, a, b);
    return same ?? this.#made(a.sort, op, [a, b]);
  }

  /** x + 0, x & -1 and the like; a constant comes second, or first where the operands may change places. */
  #unchanged(op: Arithmetic, a: Term, b: Term): Term | undefined {
    const zero = this.constant(a.sort, 0n);
    const ones = this.constant(a.sort, -1n);
    const commutes = op === "add" || op === "multiply" || op === "bitAnd" || op === "bitOr" || op === "bitXor";
    const [other, fixed] = commutes && isConstant(a) ? [b, a] : [a, b];
    if (fixed === zero) {
      if (op === "multiply" || op === "bitAnd") return zero;
      return op === "divide" || op === "remainder" ? undefined : other;
    }
    if (fixed === ones && op === "bitAnd") return other;
    if (fixed === ones && op === "bitOr") return ones;
    if (fixed.op === "constant" && fixed.value === 1n && (op === "multiply" || op === "divide")) return other;
    if (a !== b) return undefined;
    if (op === "bitXor" || op === "subtract") return zero;
    return op === "bitAnd" || op === "bitOr" ? a : undefined;
  }

  /** `width` bits from bit `low` up. */
  extract(term: Term, low: number, width: number): Term {
    assert(low >= 0 && low + width <= widthOf(term), "the bits that are extracted are there");
    if (low === 0 && width === term.sort) return term;
    if (isConstant(term)) return this.constant(width, term.value >> BigInt(low));
    if (term.op === "extract") return this.extract(term.operands[0]!, low + Number(term.value), width);
    if (term.op === "concat") {
      const [high, lower] = term.operands as [Term, Term];
      const border = widthOf(lower);
      if (low + width <= border) return this.extract(lower, low, width);
      if (low >= border) return this.extract(high, low - border, width);
    }
    if (term.op === "choose") {
      const [condition, yes, no] = term.operands as [Term, Term, Term];
      if (isConstant(yes) && isConstant(no))
        return this.choose(condition, this.extract(yes, low, width), this.extract(no, low, width));
    }
    if (term.op === "extend" || term.op === "extendSigned") {
      const inner = term.operands[0]!;
      if (low + width <= widthOf(inner)) return this.extract(inner, low, width);
      if (term.op === "extend" && low >= widthOf(inner)) return this.constant(width, 0n);
    }
    return this.#made(width, "extract", [term], BigInt(low));
  }

  concat(high: Term, low: Term): Term {
    const width = widthOf(high) + widthOf(low);
    if (isConstant(high) && isConstant(low))
      return this.constant(width, (high.value << BigInt(widthOf(low))) | low.value);
    if (isConstant(high) && high.value === 0n) return this.extend(low, width);
    const joined = high.op === "extract" && low.op === "extract" && high.operands[0] === low.operands[0];
    if (joined && high.value === low.value + BigInt(widthOf(low)))
      return this.extract(high.operands[0]!, Number(low.value), width);
    return this.#made(width, "concat", [high, low]);
  }

  extend(term: Term, width: number, op: "extend" | "extendSigned" = "extend"): Term {
    assert(widthOf(term) <= width, "extending makes a term no narrower");
    if (term.sort === width) return term;
    if (isConstant(term)) return this.constant(width, meanings[op]([term.value], widthOf(term)));
    return this.#made(width, op, [term]);
  }

  /** A boolean as a bit vector. */
  bit(term: Term, width: number): Term {
    return this.choose(term, this.constant(width, 1n), this.constant(width, 0n));
  }

  #folded(sort: Sort, op: TermOperator, operands: readonly Term[]): Term {
    const values = operands.map(({ value }) => value);
    return this.constant(sort, meanings[op](values, operands[0]!.sort as number));
  }
}
