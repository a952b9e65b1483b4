/** Our terms as Z3's, each translated once for a context. */
import { assert } from "../../base/index.ts";
import { bottomUp } from "../bottom-up.ts";
import { type Arithmetic, arithmetic, type Comparison, comparisons, type Sort } from "../operators.ts";
import type { Term } from "../terms.ts";
import type { Pointer, Z3Binary, Z3Functions } from "./core.ts";

const binaries: Readonly<Record<Arithmetic | Comparison | "concat", Z3Binary>> = {
  add: "mk_bvadd",
  subtract: "mk_bvsub",
  multiply: "mk_bvmul",
  divide: "mk_bvudiv",
  remainder: "mk_bvurem",
  bitAnd: "mk_bvand",
  bitOr: "mk_bvor",
  bitXor: "mk_bvxor",
  shiftLeft: "mk_bvshl",
  shiftRight: "mk_bvlshr",
  shiftRightSigned: "mk_bvashr",
  equal: "mk_eq",
  below: "mk_bvult",
  belowSigned: "mk_bvslt",
  concat: "mk_concat",
};

const isBinary = (op: Term["op"]): op is keyof typeof binaries =>
  op in arithmetic || op in comparisons || op === "concat";

export class Z3Terms {
  readonly #z3: Z3Functions;
  readonly #context: Pointer;
  readonly #known = new Map<Term, Pointer>();
  readonly #sorts = new Map<Sort, Pointer>();

  constructor(z3: Z3Functions, context: Pointer) {
    this.#z3 = z3;
    this.#context = context;
  }

  of(root: Term): Pointer {
    return bottomUp(root, this.#known, (term) => this.#made(term));
  }

  sortOf(sort: Sort): Pointer {
    let made = this.#sorts.get(sort);
    if (made === undefined) {
      made = sort === "bool" ? this.#z3.mk_bool_sort(this.#context) : this.#z3.mk_bv_sort(this.#context, sort);
      this.#sorts.set(sort, made);
    }
    return made;
  }

  #made(term: Term): Pointer {
    const operands = term.operands.map((operand) => {
      const known = this.#known.get(operand);
      assert(known !== undefined, "operands are translated before what is made of them");
      return known;
    });
    const [a, b, c] = operands as [Pointer, Pointer, Pointer];
    if (isBinary(term.op)) return this.#z3[binaries[term.op]](this.#context, a, b);
    return makers[term.op](this.#z3, this.#context, this, term, operands, c);
  }
}

type Maker = (
  z3: Z3Functions,
  context: Pointer,
  translation: Z3Terms,
  term: Term,
  operands: readonly Pointer[],
  third: Pointer,
) => Pointer;

const widened = (term: Term): number => (term.sort as number) - (term.operands[0]!.sort as number);

const makers: Readonly<Record<Exclude<Term["op"], keyof typeof binaries>, Maker>> = {
  constant: (z3, context, translation, { sort, value }) => {
    if (sort === "bool") return value === 1n ? z3.mk_true(context) : z3.mk_false(context);
    return z3.mk_numeral(context, `${value}`, translation.sortOf(sort));
  },
  variable: (z3, context, translation, { id, sort }) =>
    z3.mk_const(context, z3.mk_int_symbol(context, id), translation.sortOf(sort)),
  not: (z3, context, _translation, _term, [a]) => z3.mk_not(context, a!),
  and: (z3, context, _translation, _term, operands) => z3.mk_and(context, operands),
  or: (z3, context, _translation, _term, operands) => z3.mk_or(context, operands),
  choose: (z3, context, _translation, _term, [a, b], c) => z3.mk_ite(context, a!, b!, c),
  extract: (z3, context, _translation, { sort, value }, [a]) =>
    z3.mk_extract(context, Number(value) + (sort as number) - 1, Number(value), a!),
  extend: (z3, context, _translation, term, [a]) => z3.mk_zero_ext(context, widened(term), a!),
  extendSigned: (z3, context, _translation, term, [a]) => z3.mk_sign_ext(context, widened(term), a!),
};
