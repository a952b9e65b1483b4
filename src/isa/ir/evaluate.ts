/**
 * Evaluates one block over any domain of values (domain.ts). The domain's registers, flags and memory are what they are
 * after the block, or after the last instruction before the one that could not be done.
 */
import { unreachable } from "../../base/index.ts";
import type { NumericName } from "../wasm/index.ts";
import { accessSize, type Block, type Exit, type Op, type Trap, type Value } from "./block.ts";
import type { Domain, NotedFlags } from "./domain.ts";
import { allFlags, conditionOf, flagOf } from "./flag-formulas.ts";
import { type MacroName, macros } from "./macros.ts";

/** How it ended. `done`: instructions that ran to their end. */
export type End<V, Fault> =
  /** `value` is what the exit looks at: a branch's condition, or the target of a jump, a call or a return. */
  | { readonly kind: "exit"; readonly exit: Exit; readonly value: V | undefined; readonly done: number }
  /** The instruction at `address` did nothing. */
  | { readonly kind: "fault"; readonly fault: Fault; readonly address: number; readonly done: number }
  | { readonly kind: "trap"; readonly trap: Trap; readonly address: number; readonly done: number };

export function evaluate<V, Fault>(block: Block, domain: Domain<V, Fault>): End<V, Fault> {
  return new Evaluation(block, domain).run();
}

class Evaluation<V, Fault> {
  readonly #block: Block;
  readonly #domain: Domain<V, Fault>;
  readonly #values: V[] = [];
  #address = 0;
  #begun = 0;

  constructor(block: Block, domain: Domain<V, Fault>) {
    this.#block = block;
    this.#domain = domain;
  }

  run(): End<V, Fault> {
    for (const [index, op] of this.#block.ops.entries()) {
      const end = this.#op(op, index);
      if (end) return end;
    }
    const { exit, instructions } = this.#block;
    // What ends in a trap, or is made by the machine, has not run yet.
    const done = exit.kind === "trap" || exit.kind === "complex" ? instructions - 1 : instructions;
    return { kind: "exit", exit, value: this.#exitValue(exit), done };
  }

  #value(value: Value): V {
    return this.#values[value]!;
  }
  #all(values: readonly Value[]): V[] {
    return values.map((value) => this.#value(value));
  }

  #exitValue(exit: Exit): V | undefined {
    if (exit.kind === "branch") return this.#value(exit.when);
    const isIndirect = exit.kind === "jump" || exit.kind === "return" || exit.kind === "call";
    return isIndirect && exit.target !== undefined ? this.#value(exit.target) : undefined;
  }

  /** Does one op; the block's end if it cannot be done. */
  #op(op: Op, index: number): End<V, Fault> | undefined {
    switch (op.kind) {
      case "inst":
        this.#address = op.address;
        this.#begun++;
        this.#domain.begin(op.address);
        return undefined;
      case "put":
        this.#domain.put(op.register, this.#value(op.value));
        return undefined;
      case "load":
      case "store":
      case "probe":
      case "flush":
        return this.#access(op, index);
      case "trap":
        if (!this.#domain.decide(this.#value(op.when))) return undefined;
        return { kind: "trap", trap: op.trap, address: this.#address, done: this.#begun - 1 };
      case "flags":
        return this.#noteFlags(op);
      case "carry":
        return this.#noteCarry(op);
      case "fence":
        this.#domain.fence(op.op);
        return undefined;
      case "patch":
        this.#domain.patch(op.op, op.number, op.address === undefined ? undefined : this.#value(op.address), op.size);
        return undefined;
      case "frames":
        this.#domain.frames(this.#value(op.stack), op.site);
        return undefined;
      default:
        this.#values[index] = this.#compute(op);
        return undefined;
    }
  }

  #compute(op: Op & { kind: "const" | "get" | "pure" | "shuffle" | "select" | "call" | "flag" | "condition" }): V {
    const domain = this.#domain;
    switch (op.kind) {
      case "const":
        return domain.constant(op.type, op.value);
      case "get":
        return domain.get(op.register);
      case "pure":
        if (op.op in macros) return domain.macro(op.op as MacroName, this.#all(op.args));
        return domain.numeric(op.op as NumericName, this.#all(op.args), op.lane);
      case "shuffle":
        return domain.shuffle(this.#value(op.left), this.#value(op.right), op.lanes);
      case "select":
        return domain.select(op.type, this.#value(op.when), this.#value(op.then), this.#value(op.otherwise));
      case "call":
        return domain.helper(op.helper, this.#all(op.args));
      case "flag":
        return op.flag === "all" ? allFlags(domain, domain.flags) : flagOf(domain, domain.flags, op.flag);
      case "condition":
        return conditionOf(domain, domain.flags, op.condition);
      default:
        return unreachable(op, "ir: every op that makes a value is evaluated");
    }
  }

  #access(op: Op & { kind: "load" | "store" | "probe" | "flush" }, index: number): End<V, Fault> | undefined {
    const address = this.#value(op.address);
    const size = op.kind === "probe" ? op.size : op.kind === "flush" ? 1 : accessSize[op.access];
    const aligned = (op.kind === "load" || op.kind === "store") && op.aligned === true;
    const fault = this.#domain.check({ kind: op.kind, address, size, aligned });
    if (fault !== undefined) return { kind: "fault", fault, address: this.#address, done: this.#begun - 1 };
    if (op.kind === "load") this.#values[index] = this.#domain.load(op.access, address);
    else if (op.kind === "store") this.#store(op, address);
    else if (op.kind === "flush") this.#domain.flush(op.op, address);
    return undefined;
  }

  #store({ access, value, upper, nonTemporal, when }: Op & { kind: "store" }, address: V): void {
    this.#domain.store({
      access,
      address,
      value: this.#value(value),
      upper: upper === undefined ? undefined : this.#value(upper),
      nonTemporal: nonTemporal === true,
      when: when === undefined ? undefined : this.#value(when),
    });
  }

  // ── Flags ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Flags that are set only perhaps are one of two numbers. */
  #noteFlags({ flags: kind, width, left, right, result, when }: Op & { kind: "flags" }): undefined {
    const domain = this.#domain;
    const [l, r, made] = [this.#value(left), this.#value(right), this.#value(result)];
    const noted: NotedFlags<V> = { kind, width, left: l, right: r, result: made };
    if (when === undefined) {
      domain.flags = noted;
      return;
    }
    const bits = domain.select("i32", this.#value(when), allFlags(domain, noted), allFlags(domain, domain.flags));
    domain.flags = { kind: "raw", width: 32, left: bits, right: bits, result: bits };
  }

  #noteCarry({ bits, when }: Op & { kind: "carry" }): undefined {
    const domain = this.#domain;
    const now = this.#value(bits);
    const carry = when === undefined ? now : domain.select("i32", this.#value(when), now, this.#carryBits());
    domain.flags = { ...domain.flags, carry };
  }
  /** CF and OF as they are, as the op `carry` takes them. */
  #carryBits(): V {
    const domain = this.#domain;
    const one = domain.constant("i32", 1n);
    const overflow = domain.numeric("i32.shl", [flagOf(domain, domain.flags, "o"), one], undefined);
    return domain.numeric("i32.or", [flagOf(domain, domain.flags, "c"), overflow], undefined);
  }
}
