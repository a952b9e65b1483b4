/**
 * Z3 as its WebAssembly build exports it: the functions that we call, typed by hand. It is loaded when it is first needed, and
 * once: its memory cannot grow past 2 GB, and one copy of it is enough for solvers one after another.
 */
import { assert } from "../../base/index.ts";

/** A pointer into Z3's memory. */
export type Pointer = number & { readonly z3: true };

/** Functions of a context and two terms. */
export type Z3Binary =
  | "mk_eq"
  | "mk_concat"
  | `mk_bv${"add" | "sub" | "mul" | "udiv" | "urem" | "and" | "or" | "xor" | "shl" | "lshr" | "ashr" | "ult" | "slt"}`;

/** What the generated wrapper offers. Everything but checking runs at once, on this thread. */
export interface Z3Functions extends Readonly<Record<Z3Binary, (context: Pointer, a: Pointer, b: Pointer) => Pointer>> {
  mk_config(): Pointer;
  del_config(config: Pointer): void;
  mk_context(config: Pointer): Pointer;
  del_context(context: Pointer): void;
  mk_simple_solver(context: Pointer): Pointer;
  solver_inc_ref(context: Pointer, solver: Pointer): void;
  solver_dec_ref(context: Pointer, solver: Pointer): void;
  solver_assert(context: Pointer, solver: Pointer, formula: Pointer): void;
  solver_from_string(context: Pointer, solver: Pointer, text: string): void;
  interrupt(context: Pointer): void;
  solver_get_model(context: Pointer, solver: Pointer): Pointer;
  model_inc_ref(context: Pointer, model: Pointer): void;
  model_dec_ref(context: Pointer, model: Pointer): void;
  model_eval(context: Pointer, model: Pointer, term: Pointer, complete: boolean): Pointer | null;
  get_numeral_string(context: Pointer, numeral: Pointer): string;
  get_error_code(context: Pointer): number;
  get_error_msg(context: Pointer, code: number): string;
  solver_propagate_register(context: Pointer, solver: Pointer, term: Pointer): void;
  solver_propagate_consequence(
    context: Pointer,
    callback: Pointer,
    fixed: readonly Pointer[],
    left: readonly Pointer[],
    right: readonly Pointer[],
    then: Pointer,
  ): boolean;
  mk_bool_sort(context: Pointer): Pointer;
  mk_bv_sort(context: Pointer, width: number): Pointer;
  mk_int_symbol(context: Pointer, number: number): Pointer;
  mk_const(context: Pointer, symbol: Pointer, sort: Pointer): Pointer;
  mk_numeral(context: Pointer, text: string, sort: Pointer): Pointer;
  mk_true(context: Pointer): Pointer;
  mk_false(context: Pointer): Pointer;
  mk_not(context: Pointer, term: Pointer): Pointer;
  mk_and(context: Pointer, terms: readonly Pointer[]): Pointer;
  mk_or(context: Pointer, terms: readonly Pointer[]): Pointer;
  mk_ite(context: Pointer, condition: Pointer, yes: Pointer, no: Pointer): Pointer;
  mk_extract(context: Pointer, high: number, low: number, term: Pointer): Pointer;
  mk_zero_ext(context: Pointer, bits: number, term: Pointer): Pointer;
  mk_sign_ext(context: Pointer, bits: number, term: Pointer): Pointer;
}

/** The module below it. The registration of propagators has no wrapper, since functions go in by the function table. */
export interface Z3Module {
  addFunction(handler: (...words: number[]) => number | undefined, signature: string): number;
  removeFunction(index: number): void;
  _Z3_solver_check(context: Pointer, solver: Pointer): number;
  _Z3_solver_propagate_init(
    context: Pointer,
    solver: Pointer,
    user: number,
    push: number,
    pop: number,
    fresh: number,
  ): void;
  _Z3_solver_propagate_fixed(context: Pointer, solver: Pointer, fixed: number): void;
  _Z3_solver_propagate_final(context: Pointer, solver: Pointer, final: number): void;
}

export interface Z3 {
  readonly functions: Z3Functions;
  readonly module: Z3Module;
}

let loaded: Promise<Z3> | undefined;

async function load(): Promise<Z3> {
  const { init } = await import("z3-solver");
  const { Z3, em } = await init();
  assert(typeof em._Z3_solver_propagate_init === "function", "this build of Z3 exports the propagator's registration");
  return { functions: Z3 as unknown as Z3Functions, module: em };
}

/** Z3, loaded when it is first asked for. */
export function loadZ3(): Promise<Z3> {
  loaded ??= load();
  return loaded;
}
