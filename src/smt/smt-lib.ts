/** Terms as SMT-LIB 2, which other solvers read: each term that is made of others is defined once, by its number. */

import { assert } from "../base/index.ts";
import { bottomUp } from "./bottom-up.ts";
import type { Sort } from "./operators.ts";
import type { Term } from "./terms.ts";

type Written = (operands: readonly string[], term: Term) => string;

const call =
  (name: string): Written =>
  (operands) =>
    `(${name} ${operands.join(" ")})`;
const widened =
  (name: string): Written =>
  ([operand], term) =>
    `((_ ${name} ${(term.sort as number) - (term.operands[0]!.sort as number)}) ${operand})`;

const written: Readonly<Record<Exclude<Term["op"], "constant" | "variable">, Written>> = {
  add: call("bvadd"),
  subtract: call("bvsub"),
  multiply: call("bvmul"),
  divide: call("bvudiv"),
  remainder: call("bvurem"),
  bitAnd: call("bvand"),
  bitOr: call("bvor"),
  bitXor: call("bvxor"),
  shiftLeft: call("bvshl"),
  shiftRight: call("bvlshr"),
  shiftRightSigned: call("bvashr"),
  equal: call("="),
  below: call("bvult"),
  belowSigned: call("bvslt"),
  not: call("not"),
  and: call("and"),
  or: call("or"),
  choose: call("ite"),
  concat: call("concat"),
  extract: ([operand], { value, sort }) => `((_ extract ${Number(value) + (sort as number) - 1} ${value}) ${operand})`,
  extend: widened("zero_extend"),
  extendSigned: widened("sign_extend"),
};

const sortText = (sort: Sort): string => (sort === "bool" ? "Bool" : `(_ BitVec ${sort})`);

const constantText = ({ sort, value }: Term): string =>
  sort === "bool" ? `${value === 1n}` : `#b${value.toString(2).padStart(sort, "0")}`;

export class SmtLib {
  readonly #names = new Map<Term, string>();
  readonly #lines: string[] = [];

  get text(): string {
    return this.#lines.join("\n");
  }

  assert(term: Term): void {
    this.#lines.push(`(assert ${this.of(term)})`);
  }

  /** A clause of names and their opposites. */
  assertClause(literals: readonly string[]): void {
    this.#lines.push(literals.length === 0 ? "(assert false)" : `(assert (or ${literals.join(" ")}))`);
  }

  /** The name of a term, which is declared or defined by now. */
  of(root: Term): string {
    return bottomUp(root, this.#names, (term) => this.#define(term));
  }

  #define(term: Term): string {
    const { op, id, sort } = term;
    if (op === "constant") return constantText(term);
    if (op === "variable") {
      this.#lines.push(`(declare-const v${id} ${sortText(sort)}) ; ${term.name}`);
      return `v${id}`;
    }
    const operands = term.operands.map((operand) => {
      const name = this.#names.get(operand);
      assert(name !== undefined, "operands are written before what is made of them");
      return name;
    });
    this.#lines.push(`(define-fun t${id} () ${sortText(sort)} ${written[op](operands, term)})`);
    return `t${id}`;
  }
}
