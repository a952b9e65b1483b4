/** The verifier's part about faults: what comes before what within an instruction (verify.ts, 9 to 11 and 14). */
import type { Block, Op } from "./block.ts";
import type { HelperName } from "./helpers.ts";

/** Helpers that change what the guest can see. Results and images are prepared in memory of our own. */
const actingHelpers: ReadonlySet<HelperName> = new Set(["x87", "mmx_write", "mmx_leave"]);

const divides = /^(i32|i64)\.(div|rem)_[su]$|^x86\.(div|rem)128_[su]$/;
const floatTrap = /^x86\.float_trap/;

/** What an op does, as far as order matters. */
type Role = "faults" | "stores" | "enters" | "acts" | "changes" | "neither";

function roleOf(op: Op): Role {
  switch (op.kind) {
    case "load":
    case "probe":
    case "trap":
    case "flush":
      return "faults";
    case "store":
      return "stores";
    case "call":
      if (op.helper === "mmx_enter") return "enters";
      return actingHelpers.has(op.helper) ? "acts" : "neither";
    case "put":
    case "flags":
    case "carry":
      return "changes";
    default:
      return "neither";
  }
}

const hasEffect = (op: Op): boolean => op.kind === "fence" || roleOf(op) !== "neither";

/** One instruction as it goes on. */
class Order {
  readonly #ops: readonly Op[];
  readonly #has = new Set<Role>();
  #isProbed = false;
  #isDivisorTested = false;
  #isPatched = false;

  constructor(ops: readonly Op[]) {
    this.#ops = ops;
  }

  next(op: Op): string | undefined {
    if (op.kind === "pure" && divides.test(op.op) && !this.#isDivisorSafe(op))
      return "divides without a trap before it";
    if (op.kind === "store" && op.when !== undefined && !this.#isProbed)
      return "has a condition and no probe before it";
    if (this.#isPatched && hasEffect(op)) return "comes after a patch";
    this.#isPatched ||= op.kind === "patch";
    const role = roleOf(op);
    const isFloat = op.kind === "trap" && op.trap === "float";
    const problem = this.#problem(role, isFloat ? ["stores", "acts"] : ["stores", "acts", "enters"]);
    this.#has.add(role);
    this.#isProbed ||= op.kind === "probe";
    this.#isDivisorTested ||= op.kind === "trap" && op.trap === "divide";
    return problem;
  }

  #isDivisorSafe({ args }: Op & { kind: "pure" }): boolean {
    const divisor = this.#ops[args.at(-1)!]!;
    return this.#isDivisorTested || (divisor.kind === "const" && divisor.value !== 0n && divisor.value !== -1n);
  }

  #problem(role: Role, mayNotFollow: readonly Role[]): string | undefined {
    if (role !== "faults" && role !== "stores") return undefined;
    if (this.#has.has("changes")) return "can fault after a register or the flags were changed";
    const vouched = role === "stores" && this.#isProbed;
    if (vouched || !mayNotFollow.some((earlier) => this.#has.has(earlier))) return undefined;
    return "can fault after a store or a change of the x87 unit";
  }
}

export function orderProblems({ ops }: Block): readonly string[] {
  const problems: string[] = [];
  let order = new Order(ops);
  for (const [index, op] of ops.entries()) {
    if (op.kind === "inst") order = new Order(ops);
    const problem = order.next(op);
    if (problem !== undefined) problems.push(`op ${index} (${op.kind}) ${problem}`);
  }
  return [...problems, ...floatTrapProblems(ops)];
}

function floatTrapProblems(ops: readonly Op[]): readonly string[] {
  const asks = ops.flatMap((op, index) => (op.kind === "pure" && floatTrap.test(op.op) ? [index] : []));
  return asks.flatMap((index) => {
    const next = ops[index + 1];
    return next?.kind === "trap" && next.trap === "float" && next.when === index
      ? []
      : [`op ${index} asks for a float trap that does not follow`];
  });
}
