/**
 * Runs one path: as it is while nothing that is used depends on input, else block by block, first beside the machine and then in it.
 * Always: before each block the shadow, the path and the machine agree on the state after the block before.
 */
import { assert } from "../../base/index.ts";
import { type Block, evaluate, type MacroName, macros, type Op } from "../../isa/ir/index.ts";
import type { Outcome } from "../../machine/index.ts";
import { afterCall, beforeCall } from "./calls.ts";
import { fixThread, type Guest } from "./guest.ts";
import { runMachineMade } from "./machine-made.ts";
import { hasFormula } from "./mixed-algebra.ts";
import { ShadowDomain } from "./shadow-domain.ts";

/** Instructions that run compiled before somebody may want to stop the run. */
const stretch = 4_000_000;

/** What looks at more than its operands, or does more than make a value. */
const isLeftToMachine = (op: Op): boolean =>
  op.kind === "call" || (op.kind === "pure" && op.op in macros && !hasFormula(op.op as MacroName));

/** Instructions up to the first that the machine alone can make, that one included. */
function evaluable({ ops, instructions }: Block): number {
  let count = 0;
  for (const op of ops) {
    if (op.kind === "inst") count++;
    else if (isLeftToMachine(op)) return count;
  }
  return instructions;
}

export class Stepper {
  readonly #guest: Guest;
  /** Blocks that were evaluated beside the machine. */
  evaluated = 0;

  constructor(guest: Guest) {
    this.#guest = guest;
  }

  /** Goes on a bit; the run's end, if that is it. */
  step(): Outcome | undefined {
    const { machine, port, shadow } = this.#guest;
    const over = machine.beginTurn();
    if (over !== undefined) return over;
    shadow.stopBeforeUse(port.thread);
    port.uses = "stopsAtMarks";
    // Another thread may have registers that depend on input.
    const result = machine.run(shadow.areAllPlain ? stretch : Math.min(stretch, port.turnLeft));
    port.uses = "plain";
    port.interpret();
    if (result.kind === "ended") return result.outcome;
    return result.kind === "use" ? this.#stepBlock() : undefined;
  }

  #run(instructions: number): Outcome | undefined {
    if (instructions === 0) return undefined;
    const result = this.#guest.machine.run(instructions);
    return result.kind === "ended" ? result.outcome : undefined;
  }

  #stepBlock(): Outcome | undefined {
    const { machine, port } = this.#guest;
    const whole = port.blockAt(machine.rip, port.turnLeft);
    // Nothing can be fetched there.
    if (whole === undefined) return this.#left();
    const { exit, instructions } = whole;
    const isApart = exit.kind === "syscall" || exit.kind === "complex" || exit.kind === "trap";
    if (isApart && instructions === 1) return this.#apart(whole);
    const wanted = Math.min(evaluable(whole), isApart ? instructions - 1 : instructions);
    const block = wanted === instructions ? whole : port.blockAt(machine.rip, wanted);
    assert(block !== undefined && block.instructions === wanted, "symbolic: a part of a block is a block");
    return this.#evaluated(block);
  }

  #evaluated(block: Block): Outcome | undefined {
    const { terms, machine, port, shadow, path } = this.#guest;
    this.evaluated++;
    const thread = port.thread;
    const domain = new ShadowDomain(terms, port, shadow, path);
    this.#guest.stands = true;
    const end = evaluate(block, domain);
    if (end.kind === "exit" && end.value !== undefined) {
      if (end.exit.kind === "branch") domain.decide(end.value);
      else path.fix(end.value);
    }
    this.#guest.stands = false;
    const before = machine.instructions;
    domain.commit();
    const over = this.#run(end.done);
    if (over !== undefined) return over;
    if (machine.instructions - before !== end.done) {
      // What was left to the machine raised an exception: a handler runs.
      fixThread(this.#guest, thread);
      return undefined;
    }
    if (port.thread === thread) domain.compare(block.start);
    return end.kind === "exit" ? undefined : this.#left();
  }

  /** An instruction that the machine makes or the kernel answers. */
  #apart({ exit }: Block): Outcome | undefined {
    const guest = this.#guest;
    guest.path.site = guest.machine.rip;
    let over: Outcome | undefined;
    if (exit.kind === "syscall") {
      beforeCall(guest);
      // It is over for this thread before another one runs.
      afterCall(guest);
      return this.#run(1);
    }
    if (exit.kind !== "complex") return this.#left();
    runMachineMade(guest, exit.name, () => {
      over = this.#run(1);
    });
    return over;
  }

  /** A fault: what becomes of it is the kernel's to say, and a handler may look at every register. */
  #left(): Outcome | undefined {
    const { machine, port } = this.#guest;
    const over = machine.beginTurn();
    if (over !== undefined) return over;
    fixThread(this.#guest, port.thread);
    port.uses = "stopsAtMarks";
    const result = machine.run(1);
    port.uses = "plain";
    return result.kind === "ended" ? result.outcome : undefined;
  }
}
