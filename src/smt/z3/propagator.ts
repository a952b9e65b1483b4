/**
 * A theory of our own inside Z3's search, by its user propagator. Z3 calls back when an atom is decided, when it opens a level and
 * when it takes levels back; what the theory says goes in as consequences. Always:
 * - The callbacks run inside `check`, on this thread: a function in Z3's table belongs to the thread that put it there.
 * - After a contradiction the theory is left alone until Z3 has taken back a level.
 */
import type { Attached } from "../solver.ts";
import type { Theory } from "../theory.ts";
import type { Pointer, Z3 } from "./core.ts";
import type { Z3Terms } from "./z3-terms.ts";

/** An error cannot cross Z3's frames: it waits here until `check` is back. */
export interface Watch {
  failed: unknown;
}

export function attach(
  { functions, module }: Z3,
  context: Pointer,
  solver: Pointer,
  { theory, atoms }: Attached,
  translation: Z3Terms,
): { readonly watch: Watch; readonly detach: () => void } {
  const watch: Watch = { failed: undefined };
  const terms = atoms.map((atom) => translation.of(atom));
  const atomOf = new Map(terms.map((term, index) => [term as number, index + 1]));
  const yes = functions.mk_true(context);
  const no = functions.mk_false(context);
  const literal = (of: number) => {
    if (of === 0) return no;
    const term = terms[Math.abs(of) - 1] as Pointer;
    return of > 0 ? term : functions.mk_not(context, term);
  };
  const levels = new Levels(theory);
  const say = (callback: Pointer) => {
    for (let next = levels.next(); next !== undefined; next = levels.next()) {
      const because = next.because.map((of) => terms[Math.abs(of) - 1] as Pointer);
      functions.solver_propagate_consequence(context, callback, because, [], [], literal(next.implied));
    }
  };
  const guarded =
    (handle: (...words: number[]) => void, result?: number) =>
    (...words: number[]) => {
      try {
        if (watch.failed === undefined) handle(...words);
      } catch (error) {
        watch.failed = error;
        functions.interrupt(context);
      }
      return result;
    };
  const handlers = [
    module.addFunction(
      guarded(() => levels.push()),
      "vii",
    ),
    module.addFunction(
      guarded((_user, _callback, count) => levels.pop(count!)),
      "viii",
    ),
    module.addFunction(
      guarded(() => {}, 0),
      "iii",
    ),
    module.addFunction(
      guarded((_user, callback, term, value) => {
        const atom = atomOf.get(term!)!;
        levels.assign(value === yes ? atom : -atom);
        say(callback as Pointer);
      }),
      "viiii",
    ),
    module.addFunction(
      guarded((_user, callback) => say(callback as Pointer), 1),
      "iii",
    ),
  ] as const;
  const [push, pop, fresh, fixed, final] = handlers;
  module._Z3_solver_propagate_init(context, solver, 0, push, pop, fresh);
  module._Z3_solver_propagate_fixed(context, solver, fixed);
  module._Z3_solver_propagate_final(context, solver, final);
  for (const term of terms) functions.solver_propagate_register(context, solver, term);
  return { watch, detach: () => handlers.forEach((handler) => void module.removeFunction(handler)) };
}

/** The theory's levels, and whether it has met a contradiction. */
class Levels {
  readonly #theory: Theory;
  #depth = 0;
  /** The level at which nothing more is to be said, while it lasts. */
  #contradicted: number | undefined;

  constructor(theory: Theory) {
    this.#theory = theory;
  }

  push(): void {
    this.#depth++;
    this.#theory.push();
  }

  pop(levels: number): void {
    this.#depth -= levels;
    if (this.#contradicted !== undefined && this.#depth < this.#contradicted) this.#contradicted = undefined;
    this.#theory.pop(levels);
  }

  assign(literal: number): void {
    if (this.#contradicted === undefined) this.#theory.assign(literal);
  }

  next() {
    if (this.#contradicted !== undefined) return undefined;
    const consequence = this.#theory.next();
    if (consequence?.implied === 0) this.#contradicted = this.#depth;
    return consequence;
  }
}
