/**
 * One thread's code from a function on, loops unrolled and calls followed, each place evaluated once: states that meet are joined
 * first (bounded model checking's static single assignment, by evaluation). Always:
 * - Places are evaluated in the order of FlowOrder, frame by frame, so that nothing leads back to a place that was evaluated.
 * - Where control would go on beyond the bound, or leave what can be encoded, it ends; what must hold for it to come there is kept.
 */
import { assert } from "../../../base/index.ts";
import { type End, evaluate } from "../../../isa/ir/index.ts";
import type { Term, Terms } from "../../../smt/index.ts";
import { CodeDomain, type CodeSurroundings } from "./code-domain.ts";
import type { FlowOrder, Rounds } from "./flow-order.ts";
import { type CodeState, copyState, joinedStates } from "./thread-state.ts";

/** The functions of a program. */
export interface CodeFunctions {
  /** The function that begins here; undefined where none is known. */
  at(address: number): FlowOrder | undefined;
  /** What a function stands for that ends a program because something is wrong. */
  failureAt(address: number): string | undefined;
  describe(address: number): string;
}

export interface Place {
  readonly reached: Term;
  readonly at: number;
  readonly why: string;
}

export interface Walked {
  /** What it returned, the low 64 bits, where it did. */
  readonly returned: Term | undefined;
  readonly returns: Term;
  /** Where a loop or recursion would have gone on. */
  readonly cuts: readonly Place[];
  /** Where it fails: an assertion, abort. */
  readonly failures: readonly Place[];
}

interface Frame {
  readonly order: FlowOrder;
  readonly block: number;
  readonly rounds: Rounds;
  /** Where the caller goes on. */
  readonly returnTo: number;
}

interface Waiting {
  readonly frames: readonly Frame[];
  readonly place: readonly number[];
  state: CodeState;
}

export interface UnrollOptions {
  readonly functions: CodeFunctions;
  readonly around: CodeSurroundings;
  readonly bound: number;
}

export function walk(entry: number, start: CodeState, options: UnrollOptions): Walked {
  return new Walk(options).run(entry, start);
}

class Walk {
  readonly #options: UnrollOptions;
  readonly #terms: Terms;
  readonly #waiting = new Map<string, Waiting>();
  readonly #cuts: Place[] = [];
  readonly #failures: Place[] = [];
  #end: CodeState | undefined;

  constructor(options: UnrollOptions) {
    this.#options = options;
    this.#terms = options.around.terms;
  }

  run(entry: number, start: CodeState): Walked {
    this.#enter([], entry, entry, start, entry);
    for (let next = this.#first(); next !== undefined; next = this.#first()) this.#evaluate(next);
    return {
      returned: this.#end?.registers.get("rax"),
      returns: this.#end?.reached ?? this.#terms.false,
      cuts: this.#cuts,
      failures: this.#failures,
    };
  }

  #first(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const waiting of this.#waiting.values())
      if (first === undefined || isBefore(waiting.place, first.place)) first = waiting;
    if (first !== undefined) this.#waiting.delete(nameOf(first.frames));
    return first;
  }

  #wait(frames: readonly Frame[], state: CodeState): void {
    if (state.reached === this.#terms.false) return;
    const name = nameOf(frames);
    const known = this.#waiting.get(name);
    if (known !== undefined) known.state = joinedStates(this.#terms, known.state, state);
    else this.#waiting.set(name, { frames, place: frames.flatMap(placeOf), state });
  }

  #evaluate({ frames, state }: Waiting): void {
    const { around } = this.#options;
    const frame = frames.at(-1)!;
    const { block } = frame.order.flow.blocks.get(frame.block)!;
    const domain = new CodeDomain(around, state);
    const end = evaluate(block, domain);
    domain.finish();
    assert(end.kind === "exit", "prove: what fails is an obligation, and control goes on");
    this.#leave(frames, state, end, domain.at);
  }

  #leave(frames: readonly Frame[], state: CodeState, end: End<Term, never> & { kind: "exit" }, at: number): void {
    const { exit, value } = end;
    if (exit.kind === "goto") this.#go(frames, exit.target, state, at);
    else if (exit.kind === "branch") {
      const taken = this.#terms.not(this.#terms.equal(value!, this.#terms.constant(value!.sort, 0n)));
      this.#go(frames, exit.target, this.#under(state, taken), at);
      this.#go(frames, exit.otherwise, this.#under(state, this.#terms.not(taken)), at);
    } else if (exit.kind === "call") this.#call(frames, exit.known ?? constantOf(value), exit.returnTo, state, at);
    else if (exit.kind === "jump") this.#jump(frames, value!, state, at);
    else if (exit.kind === "return") this.#return(frames, value!, state, at);
    else
      this.#refuse(
        state,
        exit.kind === "syscall" ? "a system call" : `an instruction that the machine makes itself`,
        at,
      );
  }

  #under(state: CodeState, condition: Term): CodeState {
    return copyState(state, this.#terms.and(state.reached, condition));
  }

  #refuse({ reached }: CodeState, why: string, at: number): void {
    this.#options.around.oblige(reached, why, at);
  }

  /** To a block of the same function; a jump out of it is a call in its last moment. */
  #go(frames: readonly Frame[], target: number, state: CodeState, at: number): void {
    const frame = frames.at(-1)!;
    if (!frame.order.flow.blocks.has(target)) {
      this.#enter(frames.slice(0, -1), target, frame.returnTo, state, at);
      return;
    }
    const { rounds, again } = frame.order.step(frame.block, frame.rounds, target);
    if (again !== undefined && again > this.#options.bound) {
      this.#cuts.push({ reached: state.reached, at: target, why: "a loop" });
      return;
    }
    this.#wait([...frames.slice(0, -1), { ...frame, block: target, rounds }], state);
  }

  #jump(frames: readonly Frame[], target: Term, state: CodeState, at: number): void {
    const known = constantOf(target);
    if (known !== undefined) {
      this.#go(frames, known, state, at);
      return;
    }
    const frame = frames.at(-1)!;
    const targets = frame.order.flow.blocks.get(frame.block)!.successors;
    const cases = targets.map((address) => this.#terms.equal(target, this.#terms.constant(64, BigInt(address))));
    for (const [index, address] of targets.entries()) this.#go(frames, address, this.#under(state, cases[index]!), at);
    this.#refuse(
      this.#under(state, this.#terms.not(this.#terms.or(...cases))),
      "a jump to an address that is not known",
      at,
    );
  }

  #call(frames: readonly Frame[], target: number | undefined, returnTo: number, state: CodeState, at: number): void {
    if (target === undefined) this.#refuse(state, "a call of a function that is not known", at);
    else this.#enter(frames, target, returnTo, state, at);
  }

  #enter(frames: readonly Frame[], target: number, returnTo: number, state: CodeState, at: number): void {
    const { functions, bound } = this.#options;
    const failure = functions.failureAt(target);
    if (failure !== undefined) {
      this.#failures.push({ reached: state.reached, at, why: failure });
      return;
    }
    const order = functions.at(target);
    if (order === undefined) {
      this.#refuse(state, `a call of ${functions.describe(target)}, whose code is not known`, at);
      return;
    }
    if (frames.filter((frame) => frame.order === order).length > bound) {
      this.#cuts.push({ reached: state.reached, at: target, why: "recursion" });
      return;
    }
    this.#wait([...frames, { order, block: target, rounds: order.start(target), returnTo }], state);
  }

  #return(frames: readonly Frame[], target: Term, state: CodeState, at: number): void {
    const { returnTo } = frames.at(-1)!;
    const strays = this.#terms.not(this.#terms.equal(target, this.#terms.constant(64, BigInt(returnTo))));
    this.#refuse(this.#under(state, strays), "a return to where it was not called from", at);
    const caller = frames.at(-2);
    if (caller !== undefined) this.#go(frames.slice(0, -1), returnTo, state, at);
    else this.#end = this.#end === undefined ? state : joinedStates(this.#terms, this.#end, state);
  }
}

const constantOf = (term: Term | undefined): number | undefined =>
  term?.op === "constant" ? Number(term.value) : undefined;

const placeOf = ({ order, block, rounds }: Frame): readonly number[] => order.placeOf(block, rounds);

const nameOf = (frames: readonly Frame[]): string =>
  frames.map(({ block, rounds, returnTo }) => `${returnTo}:${block}:${rounds.join(",")}`).join(" ");

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  for (let index = 0; index < a.length; index++) {
    if (index >= b.length || a[index]! > b[index]!) return false;
    if (a[index]! < b[index]!) return true;
  }
  return a.length < b.length;
}
