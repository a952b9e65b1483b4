/** A solver that Z3 works for. Each has a context of its own, which goes as a whole. */
import { assert } from "../../base/index.ts";
import type { Answer, Attached, Solver } from "../solver.ts";
import type { Term } from "../terms.ts";
import { loadZ3, type Pointer, type Z3 } from "./core.ts";
import { attach } from "./propagator.ts";
import { Z3Terms } from "./z3-terms.ts";

const answers: Readonly<Record<number, Answer>> = { [-1]: "unsatisfiable", 0: "unknown", 1: "satisfiable" };

class Z3Solver implements Solver {
  readonly #z3: Z3;
  readonly #context: Pointer;
  readonly #solver: Pointer;
  readonly #translation: Z3Terms;
  readonly #attached: ReturnType<typeof attach> | undefined;
  #model: Pointer | undefined;

  constructor(z3: Z3, attached: Attached | undefined) {
    const { functions } = z3;
    this.#z3 = z3;
    const config = functions.mk_config();
    this.#context = functions.mk_context(config);
    functions.del_config(config);
    // The combined solver may choose one that knows no propagators.
    this.#solver = functions.mk_simple_solver(this.#context);
    functions.solver_inc_ref(this.#context, this.#solver);
    this.#translation = new Z3Terms(functions, this.#context);
    this.#attached =
      attached === undefined ? undefined : attach(z3, this.#context, this.#solver, attached, this.#translation);
  }

  assert(term: Term): void {
    this.#z3.functions.solver_assert(this.#context, this.#solver, this.#translation.of(term));
    this.#complain();
  }

  read(text: string): boolean {
    this.#z3.functions.solver_from_string(this.#context, this.#solver, text);
    return this.#z3.functions.get_error_code(this.#context) === 0;
  }

  check(): Answer {
    this.#dropModel();
    const answer = answers[this.#z3.module._Z3_solver_check(this.#context, this.#solver)];
    const failed = this.#attached?.watch.failed;
    if (failed !== undefined) throw failed;
    this.#complain();
    assert(answer !== undefined, "Z3 answers yes, no or unknown");
    return answer;
  }

  value(term: Term): bigint {
    const { functions } = this.#z3;
    if (this.#model === undefined) {
      this.#model = functions.solver_get_model(this.#context, this.#solver);
      functions.model_inc_ref(this.#context, this.#model);
    }
    const found = functions.model_eval(this.#context, this.#model, this.#translation.of(term), true);
    assert(found !== null, "a complete assignment gives every term a value");
    if (term.sort === "bool") return found === functions.mk_true(this.#context) ? 1n : 0n;
    return BigInt(functions.get_numeral_string(this.#context, found));
  }

  dispose(): void {
    this.#dropModel();
    this.#z3.functions.solver_dec_ref(this.#context, this.#solver);
    this.#z3.functions.del_context(this.#context);
    this.#attached?.detach();
  }

  #dropModel(): void {
    if (this.#model !== undefined) this.#z3.functions.model_dec_ref(this.#context, this.#model);
    this.#model = undefined;
  }

  /** Z3 notes an error in its context and goes on. */
  #complain(): void {
    const code = this.#z3.functions.get_error_code(this.#context);
    if (code === 0) return;
    assert(false, `Z3 was asked what it can answer: ${this.#z3.functions.get_error_msg(this.#context, code)}`);
  }
}

/** Starts solvers on Z3, which this loads. */
export async function startZ3(): Promise<(attached?: Attached) => Solver> {
  const z3 = await loadZ3();
  return (attached) => new Z3Solver(z3, attached);
}
