/**
 * What one thread may do, as a graph that grows as it is asked for: points where it loads memory that others may use, or waits for its
 * store buffer, and between them what it puts into the buffer. Always:
 * - Two ways that lead to the same registers, own memory and instruction lead to one point: a loop that only waits is a circle.
 */
import { assert } from "../../../base/index.ts";
import { type Block, gprs, registers } from "../../../isa/ir/index.ts";
import { liftBlock } from "../../../isa/lift/index.ts";
import type { MachinePort } from "../../../machine/index.ts";
import type { ThreadCall } from "../code/code-program.ts";
import { argumentNames, isWithin, ownBase, ownBytes } from "../code/own-addresses.ts";
import type { ProgramCode } from "../code/program-code.ts";
import { type ConcreteState, type ConcreteSurroundings, executeInstruction, type SharedOp } from "./concrete-thread.ts";

/** What comes next at a point. */
export type PointKind =
  | { readonly kind: "load"; readonly address: number; readonly size: number }
  | { readonly kind: "locked"; readonly address: number; readonly size: number }
  | { readonly kind: "mfence" }
  | { readonly kind: "end"; readonly returned: bigint }
  | { readonly kind: "fails"; readonly why: string }
  | { readonly kind: "refused"; readonly why: string };

export interface ThreadPoint {
  readonly id: number;
  readonly at: number;
  readonly next: PointKind;
}

/** An operation with the instruction that does it. */
export type IssuedOp = SharedOp & { readonly at: number };

export interface PointStep {
  readonly point: ThreadPoint;
  /** Of a locked operation: what it stores, if it does. */
  readonly updated?: SharedOp & { readonly kind: "store" };
  /** What goes into the store buffer on the way, in order. */
  readonly issued: readonly IssuedOp[];
}

interface Halfway {
  readonly state: ConcreteState;
  readonly values: readonly bigint[];
}

/** Where a thread's function returns to: no program maps it. */
const returnsTo = 8;
/** A thread that does so much without a load that others could answer goes on for ever. */
const mostInstructions = 100_000;
const mostPoints = 50_000;
const instructionBytes = 15;

export class ThreadPoints {
  /** Where its function begins. */
  readonly entry: number;
  readonly start: PointStep;
  readonly #code: ProgramCode;
  readonly #port: MachinePort;
  readonly #around: ConcreteSurroundings;
  readonly #blocks: Map<number, Block | undefined>;
  readonly #points = new Map<string, ThreadPoint>();
  readonly #halfway: Halfway[] = [];
  readonly #steps: Map<bigint, PointStep>[] = [];

  constructor(
    code: ProgramCode,
    port: MachinePort,
    call: ThreadCall,
    thread: number,
    blocks: Map<number, Block | undefined>,
  ) {
    this.#code = code;
    this.#port = port;
    this.#blocks = blocks;
    this.entry = code.named(call.name)!;
    this.#around = {
      isOwn: (address, size) => isWithin(thread, address, size),
      isMapped: (address, size) => port.canRead(address, size),
      constantByte: (address) =>
        port.canRead(address, 1) && !port.canWrite(address, 1) ? port.byteAt(address) : undefined,
    };
    this.start = this.#run({ state: this.#begun(call, thread), values: [] }, undefined);
  }

  /** What follows when what is loaded at a point is `value`; of an mfence, anything. */
  after({ id }: ThreadPoint, value: bigint): PointStep {
    const steps = this.#steps[id]!;
    let step = steps.get(value);
    if (step === undefined) {
      const { state, values } = this.#halfway[id]!;
      step = this.#run({ state, values: [...values, value] }, id);
      steps.set(value, step);
    }
    return step;
  }

  /** As a call leaves registers and the stack. */
  #begun({ args }: ThreadCall, thread: number): ConcreteState {
    const stack = ownBase(thread) + ownBytes - 8;
    const held = new Map(registers.map(({ name: register }) => [register, 0n]));
    for (const each of registers)
      if (each.name === "fsBase" || each.name === "gsBase" || each.name === "mxcsr")
        held.set(each.name, this.#port.get(each));
    held.set(gprs[4]!.name, BigInt(stack));
    for (const [index, value] of args.entries()) held.set(argumentNames[index]!, BigInt.asUintN(64, value));
    return {
      ...{ rip: this.entry, registers: held, own: new Map([[stack, returnsTo]]) },
      flags: { kind: "raw", width: 32, left: 0n, right: 0n, result: 0n },
    };
  }

  /** On to the next point. The first instruction may be one whose load was just answered. */
  #run(from: Halfway, answered: number | undefined): PointStep {
    let { state, values } = from;
    const issued: IssuedOp[] = [];
    let updated: PointStep["updated"];
    let isAnswered = answered !== undefined;
    for (let count = 0; ; count++) {
      const { rip } = state;
      const stop = (next: PointKind): PointStep => {
        const point = this.#point(next, { state, values });
        return { point, issued, ...(updated !== undefined && { updated }) };
      };
      if (rip === returnsTo) return stop({ kind: "end", returned: state.registers.get("rax")! });
      if (count > mostInstructions || this.#halfway.length > mostPoints)
        return stop({ kind: "refused", why: "a loop that may go on for ever" });
      const failure = this.#code.failureAt(rip);
      if (failure !== undefined) return stop({ kind: "fails", why: failure });
      const block = this.#block(rip);
      if (block === undefined) return stop({ kind: "refused", why: "code that is not known" });
      const isLocked = block.ops.some((op) => op.kind === "fence" && op.op === "locked");
      const end = executeInstruction(block, state, values, this.#around);
      if (end.kind === "load") {
        if (isLocked && values.length > 0) return stop({ kind: "refused", why: "a locked operation that loads twice" });
        return stop({ ...end, kind: isLocked ? "locked" : "load" });
      }
      if (end.kind === "fault") return stop({ kind: "fails", why: end.why });
      if (end.kind === "refused") return stop(end);
      const isFence = end.ops.some((op) => op.kind === "fence" && op.op !== "sfence");
      // A locked operation on the thread's own memory is a fence, and so is an mfence: the buffer must be empty first.
      if (isFence && !isAnswered) return stop({ kind: "mfence" });
      for (const op of end.ops)
        if (isLocked && op.kind === "store" && values.length > 0) updated = op;
        else if (op.kind !== "fence" || op.op === "sfence") issued.push({ ...op, at: rip });
      [state, values, isAnswered] = [end.state, [], false];
    }
  }

  #point(next: PointKind, halfway: Halfway): ThreadPoint {
    const key = `${next.kind} ${keyOf(halfway)}`;
    const known = this.#points.get(key);
    if (known !== undefined) return known;
    const point = { id: this.#halfway.push(halfway) - 1, at: halfway.state.rip, next };
    this.#steps.push(new Map());
    this.#points.set(key, point);
    return point;
  }

  #block(address: number): Block | undefined {
    if (!this.#blocks.has(address)) {
      const bytes = Uint8Array.from({ length: instructionBytes }, (_, index) =>
        this.#port.canRead(address + index, 1) ? this.#port.byteAt(address + index) : 0,
      );
      const block = this.#port.canRead(address, 1) ? liftBlock(bytes, address, 1) : undefined;
      assert(block === undefined || block.instructions === 1, "prove: code is gone through an instruction at a time");
      this.#blocks.set(address, block);
    }
    return this.#blocks.get(address);
  }
}

/** Registers come in one order always; own memory is sorted. */
function keyOf({ state, values }: Halfway): string {
  const { rip, flags, own } = state;
  const noted = [flags.kind, flags.width, flags.left, flags.right, flags.result, flags.carry ?? ""];
  const bytes = [...own].sort((a, b) => a[0] - b[0]);
  return [rip, values.join(), noted.join(), [...state.registers.values()].join(), bytes.join()].join(" ");
}
