/**
 * MOVS, STOS and LODS with a repeat prefix (SDM vol. 2: REP). Always:
 * - Element after element in the direction of DF, and RCX, RSI, RDI say exactly how far it got, also at a fault.
 * - Ordinary memory is worked through in long pieces; the result is the same as element by element.
 */
import { eflagsBit } from "../../isa/ir/index.ts";
import type { Instruction, Memory } from "../../isa/x86/index.ts";
import { type StopCode, stop } from "../runtime/index.ts";
import type { ComplexContext, ElementSize } from "./context.ts";

const rax = 0;
const rcx = 1;
/** One piece at most, so that numbers stay small. */
const pieceBytes = 1 << 24;

export const isBackward = (machine: ComplexContext): boolean => ((machine.readEflags() >> eflagsBit.d) & 1) === 1;

/** An index register with its segment: where it points, and how it moves. */
export class Cursor {
  readonly #machine: ComplexContext;
  readonly #register: number;
  readonly #bits: 32 | 64;
  readonly #base: bigint;

  constructor(machine: ComplexContext, operand: Instruction["operands"][number]) {
    const { base, addressSize, segment } = operand as Memory;
    this.#machine = machine;
    this.#register = base!;
    this.#bits = addressSize === 4 ? 32 : 64;
    this.#base = machine.segmentBase(segment);
  }
  get address(): bigint {
    const offset = BigInt.asUintN(this.#bits, this.#machine.readGpr(this.#register));
    return BigInt.asUintN(64, offset + this.#base);
  }
  /** 32-bit registers wrap and clear their upper halves. */
  advance(bytes: number): void {
    const moved = this.#machine.readGpr(this.#register) + BigInt(bytes);
    this.#machine.writeGpr(this.#register, BigInt.asUintN(this.#bits, moved));
  }
  plain(limit: number, access: "read" | "write"): number {
    return this.#machine.plainBytes(this.address, limit, access);
  }
}

/** RCX, or ECX with an address-size prefix. */
export class Counter {
  readonly #machine: ComplexContext;
  readonly #bits: 32 | 64;

  constructor(machine: ComplexContext, operand: Instruction["operands"][number]) {
    this.#machine = machine;
    this.#bits = (operand as Memory).addressSize === 4 ? 32 : 64;
  }
  get left(): bigint {
    return BigInt.asUintN(this.#bits, this.#machine.readGpr(rcx));
  }
  /** Writing ECX clears the upper half. */
  take(elements: number): void {
    this.#machine.writeGpr(rcx, this.left - BigInt(elements));
  }
  /** Bytes still to do, as far as one piece goes. */
  pieceLimit(size: number): number {
    const { left } = this;
    return left > BigInt(pieceBytes / size) ? pieceBytes : Number(left) * size;
  }
}

/** What `step` did: elements done, 0 meaning that a stop code waits in the context. */
type Step = (backward: boolean) => number;

function repeat(machine: ComplexContext, counter: Counter, step: Step): StopCode {
  const backward = isBackward(machine);
  if (counter.left === 0n) return stop.none;
  while (counter.left !== 0n) {
    const done = step(backward);
    if (done === 0) return machine.stopped;
    counter.take(done);
  }
  return stop.none;
}

/** Copies `length` bytes `distance` ahead of themselves, the copy feeding on itself where they overlap. */
function copyOntoItself(bytes: Uint8Array, from: number, to: number, length: number): void {
  const distance = to - from;
  for (let done = 0; done < length; ) {
    const piece = Math.min(distance + done, length - done);
    bytes.copyWithin(to + done, from, from + piece);
    done += piece;
  }
}

/** Forward copies in one piece; undefined when single elements would feed on parts of each other. */
function copyPiece(machine: ComplexContext, from: number, to: number, length: number, size: number): boolean {
  const distance = to - from;
  if (distance <= 0 || distance >= length) machine.bytes.copyWithin(to, from, from + length);
  else if (distance >= size) copyOntoItself(machine.bytes, from, to, length);
  else return false;
  return true;
}

export function repeatMovs(
  machine: ComplexContext,
  { operands: [dst, src] }: Instruction,
  size: ElementSize,
): StopCode {
  const target = new Cursor(machine, dst!);
  const source = new Cursor(machine, src!);
  const counter = new Counter(machine, dst!);
  const finish = (elements: number, backward: boolean) => {
    for (const cursor of [source, target]) cursor.advance(backward ? -elements * size : elements * size);
    return elements;
  };
  return repeat(machine, counter, (backward) => {
    if (!backward) {
      const limit = source.plain(counter.pieceLimit(size), "read");
      const elements = Math.floor(target.plain(limit, "write") / size);
      const length = elements * size;
      if (elements > 0 && copyPiece(machine, Number(source.address), Number(target.address), length, size))
        return finish(elements, false);
    }
    const value = machine.load(source.address, size);
    if (value === undefined || !machine.store(target.address, size, value)) return 0;
    return finish(1, backward);
  });
}

/** Fills with copies of one element. */
function fillPiece(machine: ComplexContext, at: number, length: number, size: ElementSize, value: bigint): void {
  if (size === 1) {
    machine.bytes.fill(Number(value), at, at + length);
    return;
  }
  for (let i = 0; i < size; i++) machine.bytes[at + i] = Number((value >> BigInt(8 * i)) & 0xffn);
  copyOntoItself(machine.bytes, at, at + size, length - size);
}

export function repeatStos(machine: ComplexContext, { operands: [dst] }: Instruction, size: ElementSize): StopCode {
  const target = new Cursor(machine, dst!);
  const counter = new Counter(machine, dst!);
  const value = BigInt.asUintN(8 * size, machine.readGpr(rax));
  return repeat(machine, counter, (backward) => {
    if (!backward) {
      const elements = Math.floor(target.plain(counter.pieceLimit(size), "write") / size);
      if (elements > 0) {
        fillPiece(machine, Number(target.address), elements * size, size, value);
        target.advance(elements * size);
        return elements;
      }
    }
    if (!machine.store(target.address, size, value)) return 0;
    target.advance(backward ? -size : size);
    return 1;
  });
}

export function repeatLods(machine: ComplexContext, { operands: [, src] }: Instruction, size: ElementSize): StopCode {
  const source = new Cursor(machine, src!);
  const counter = new Counter(machine, src!);
  return repeat(machine, counter, (backward) => {
    // Only the last element stays, but every one of them is read.
    const plain = backward ? 0 : Math.floor(source.plain(counter.pieceLimit(size), "read") / size);
    const skipped = Math.max(plain - 1, 0);
    const value = machine.load(source.address + BigInt(skipped * size), size);
    if (value === undefined) return 0;
    const kept = size === 4 ? 0n : machine.readGpr(rax) & ~((1n << BigInt(8 * size)) - 1n);
    machine.writeGpr(rax, BigInt.asUintN(64, kept) | value);
    const elements = skipped + 1;
    source.advance(backward ? -size : elements * size);
    return elements;
  });
}
