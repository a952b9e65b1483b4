/**
 * One system call: its arguments as the handlers want them, and what handlers may answer. Arguments follow Linux's C
 * types: an `int` is the low half, sign-extended; sizes and addresses are unsigned 64-bit. As numbers they are exact up
 * to 2^53, beyond which no address or length is valid anyway.
 */
import { assert } from "../../base/index.ts";
import { byteString, errno } from "../files/index.ts";
import { gpr } from "../process/index.ts";
import type { Process } from "./process.ts";
import type { Thread, Wait, WokenBy } from "./state.ts";

/** rdi rsi rdx r10 r8 r9. */
const argumentRegisters = [gpr.rdi, gpr.rsi, gpr.rdx, gpr.r10, gpr.r8, gpr.r9] as const;
const PATH_MAX = 4096;
/** The most one read or write moves (MAX_RW_COUNT). */
export const TRANSFER_MAX = 0x7fff_f000;

/** Answers other than a value for rax. */
export type Effect =
  /** The registers are already what they should be. */
  | { readonly kind: "as-is" }
  | { readonly kind: "exit-thread"; readonly code: number }
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "output-limit" };

export type Result = number | bigint | Wait | Effect;
export type Handler = (call: Call) => Result;

export class Call {
  readonly process: Process;
  readonly thread: Thread;
  /** Set when the call blocked before and is taken up again. */
  readonly resumed: { readonly wait: Wait; readonly by: WokenBy } | undefined;

  constructor(process: Process, thread: Thread, resumed?: { wait: Wait; by: WokenBy }) {
    this.process = process;
    this.thread = thread;
    this.resumed = resumed;
  }

  get files() {
    return this.process.files;
  }
  get memory() {
    return this.process.memory;
  }

  /** All 64 bits. */
  raw(index: number): bigint {
    const register = argumentRegisters[index];
    assert(register !== undefined, "kernel: a call has six arguments");
    return this.process.cpu.gpr(register);
  }
  int(index: number): number {
    return Number(BigInt.asIntN(32, this.raw(index)));
  }
  unsigned(index: number): number {
    return Number(BigInt.asUintN(32, this.raw(index)));
  }
  /** An address or a size. */
  size(index: number): number {
    return Number(this.raw(index));
  }
  signed(index: number): number {
    return Number(BigInt.asIntN(64, this.raw(index)));
  }

  /** A path or name as a byte string, or a negative error number. */
  path(index: number): string | number {
    return this.text(this.size(index), PATH_MAX);
  }
  /** Goes on with a path argument, or fails as it does. */
  withPath(index: number, run: (path: string) => Result): Result {
    const path = this.path(index);
    return typeof path === "number" ? path : run(path);
  }
  withPaths(first: number, second: number, run: (first: string, second: string) => Result): Result {
    return this.withPath(first, (one) => this.withPath(second, (two) => run(one, two)));
  }
  text(address: number, max: number): string | number {
    const bytes = this.memory.readCString(address, max);
    if (bytes === undefined) return -errno.EFAULT;
    return bytes === "long" ? -errno.ENAMETOOLONG : byteString(bytes);
  }

  /** 0, or EFAULT when the guest may not write there. */
  put(address: number, bytes: Uint8Array): number {
    return this.memory.write(address, bytes) ? 0 : -errno.EFAULT;
  }
  /** As `put`, but a null pointer means the caller does not want it. */
  putIfWanted(address: number, bytes: () => Uint8Array): number {
    return address === 0 ? 0 : this.put(address, bytes());
  }
  /** A structure to fill in or take apart; undefined is EFAULT. */
  view(address: number, length: number): DataView | undefined {
    const bytes = this.memory.read(address, length);
    return bytes && new DataView(bytes.buffer);
  }
}

/** A structure of `length` bytes, filled in by `write`. */
export function struct(length: number, write: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(length);
  write(new DataView(bytes.buffer));
  return bytes;
}
