/**
 * Guest memory accesses. The fast path is two tests for a load (the address lies in the guest's 4 GiB, the page may be
 * read) and three for a store (as well, not across a page's end), or one test of the answer that a window's leader
 * left (windows.ts). Everything else calls the runtime, which does the access or says why not. Layout and meaning of
 * the page bytes: runtime/layout.ts.
 */
import { accessSize, type FenceOp, type FlushOp, type LoadKind, type Op } from "../ir/index.ts";
import { cell, cpuAddress, fast, layout, pageBits, pageSize, stop } from "../runtime/index.ts";
import { Code, type Label } from "../wasm/index.ts";
import { type Imports, loadNames, storeName } from "./imports.ts";
import type { RegionState, Site } from "./state.ts";
import { isVouchedFor, type Member } from "./windows.ts";

const vectorAlignment = 15n;

export const eventKinds: Readonly<Record<FlushOp | FenceOp, number>> = {
  clflush: 0,
  clflushopt: 1,
  clwb: 2,
  sfence: 3,
  mfence: 4,
  lfence: 5,
  locked: 6,
};

/** Where an access lies and what is known of its address, which is in the local `address`. */
export interface AccessContext {
  readonly site: Site;
  /** The address, if it is constant. */
  readonly known: bigint | undefined;
  /** The largest value the address can have. */
  readonly bound: bigint;
  readonly member: Member | undefined;
  /** Where the fast way fails, the region is left; else the runtime is called. */
  readonly lean: boolean;
}

/** Functions of each module that test a window anew, once a slow path has made its pages fit. */
export const windowTests = {
  readable: { params: ["i64"], results: ["i32"] },
  writable: { params: ["i64", "i64"], results: ["i32"] },
} as const;

/** (first byte [, last byte]) → 1 if the window's pages have the bit. */
export function windowTest(name: keyof typeof windowTests): Code {
  const c = new Code(windowTests[name].params);
  c.get(0).i64(32n).op("i64.shr_u").op("i64.eqz");
  pageByte(c.get(0));
  if (name === "readable") return c.i32(fast.read).op("i32.and").op("i32.and");
  pageByte(c.get(1)).op("i32.and").i32(fast.write).op("i32.and").i32(0).op("i32.ne");
  return c.op("i32.and");
}

/** Address → the byte of its page. */
const pageByte = (c: Code): Code =>
  c.op("i32.wrap_i64").i32(pageBits).op("i32.shr_u").memory("i32.load8_u", layout.pageFast);

export class AccessWriter {
  readonly #state: RegionState;
  readonly #imports: Imports;

  constructor(state: RegionState, imports: Imports) {
    this.#state = state;
    this.#imports = imports;
  }

  #import(name: string): number {
    return this.#imports.get(name)!;
  }

  // ── Tests ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Pushes the address plus a constant. */
  #pushAddress(offset: number): Code {
    const { code: c, address } = this.#state;
    c.get(address);
    return offset === 0 ? c : c.i64(BigInt(offset)).op("i64.add");
  }

  /** Pushes the byte of the page at address + offset; branches to `slow` if it is not in the guest's 4 GiB. */
  #pushPage(offset: number, slow: Label, { known, bound }: AccessContext): Code {
    const { code: c, low } = this.#state;
    const constant = known === undefined ? undefined : known + BigInt(offset);
    if (constant !== undefined && constant >= 0n && constant >> 32n === 0n) c.i32(Number(constant >> BigInt(pageBits)));
    else if (offset >= 0 && bound + BigInt(offset) < 1n << 32n) {
      this.#pushAddress(offset).op("i32.wrap_i64").i32(pageBits).op("i32.shr_u");
    } else {
      this.#pushAddress(offset).op("i32.wrap_i64").tee(low).op("i64.extend_i32_u");
      this.#pushAddress(offset).op("i64.ne").brIf(slow, 0);
      c.get(low).i32(pageBits).op("i32.shr_u");
    }
    return c.memory("i32.load8_u", layout.pageFast);
  }

  /** Branches to `slow` if `size` bytes from the address run onto a page that may not be written; aligned ones do not. */
  #testLastByte(size: number, slow: Label, known: bigint | undefined): void {
    if (size === 1 || (known !== undefined && Number(known & 4095n) <= pageSize - size)) return;
    const { code: c, address } = this.#state;
    c.get(address)
      .op("i32.wrap_i64")
      .i32(size - 1)
      .op("i32.and")
      .if_("none", 0);
    pageByte(this.#pushAddress(size - 1))
      .i32(fast.write)
      .op("i32.and")
      .op("i32.eqz")
      .brIf(slow, 0);
    c.end();
  }

  /** Branches to `slow` unless the access may go straight to memory. */
  #test(writes: boolean, size: number, slow: Label, context: AccessContext): void {
    const c = this.#state.code;
    const { known, member } = context;
    if (member && !member.leads) {
      c.get(this.#localOf(member)).op("i32.eqz").brIf(slow, 0);
      return;
    }
    const low = member ? member.window.low - member.offset : 0;
    this.#pushPage(low, slow, context);
    if (member?.window.writable ?? writes) {
      if (member) pageByte(this.#pushAddress(member.window.high - 1 - member.offset)).op("i32.and");
      c.i32(fast.write).op("i32.and").op("i32.eqz").brIf(slow, 0);
      if (!member) this.#testLastByte(size, slow, known);
    } else this.#testReadable(low, member ? member.window.high - member.window.low : size, slow);
    if (member && !member.window.lean) c.i32(1).set(this.#localOf(member));
  }

  /** Branches to `slow` unless `size` bytes at address + offset may be read; the page's byte is on the stack. */
  #testReadable(offset: number, size: number, slow: Label): void {
    const { code: c, pageByte } = this.#state;
    c.tee(pageByte).i32(fast.read).op("i32.and").op("i32.eqz").if_("none", 0);
    c.get(pageByte).i32(fast.readAlone).op("i32.and").op("i32.eqz").brIf(slow, 0);
    this.#pushAddress(offset)
      .op("i32.wrap_i64")
      .i32(pageSize - 1)
      .op("i32.and");
    c.i32(pageSize - size)
      .op("i32.gt_u")
      .brIf(slow, 0);
    c.end();
  }

  /** Leaves the region unless the access may go straight to memory; the interpreter then makes the instruction. */
  #require(writes: boolean, size: number, context: AccessContext): void {
    if (isVouchedFor(context.member)) return;
    const c = this.#state.code;
    const fine = c.block();
    const slow = c.block();
    this.#test(writes, size, slow, context);
    c.br(fine);
    c.end();
    c.i32(stop.slow).set(this.#state.stop);
    this.#state.leave(context.site);
    c.end();
    const { member } = context;
    if (!member) return;
    this.#pushAddress(member.window.low - member.offset).op("i32.wrap_i64");
    c.set(this.#localOf(member));
  }

  /** Pushes a place in memory; the access lies so many bytes after it. */
  #pushPlace({ member, lean }: AccessContext): number {
    const { code: c, address } = this.#state;
    if (!member || !lean) {
      c.get(address).op("i32.wrap_i64");
      return 0;
    }
    c.get(this.#localOf(member));
    return member.offset - member.window.low;
  }

  #localOf({ window }: Member): number {
    window.local ??= this.#state.code.local("i32");
    return window.local;
  }

  /** After a slow access that was done: perhaps its page is fit for fast ones now. */
  #askAgain({ member }: AccessContext): void {
    if (!member) return;
    const { window, offset } = member;
    this.#pushAddress(window.low - offset);
    if (window.writable) this.#pushAddress(window.high - 1 - offset);
    this.#state.code.call(this.#import(window.writable ? "writable" : "readable")).set(this.#localOf(member));
  }

  #testAlignment(site: Site): void {
    const { code: c, address } = this.#state;
    c.get(address).i64(vectorAlignment).op("i64.and").i64(0n).op("i64.ne").if_("none", 0);
    c.i32(stop.protection).set(this.#state.stop);
    this.#state.leave(site);
    c.end();
  }

  /** Leaves if the runtime's answer on the stack is a stop code. */
  #leaveIfStopped(site: Site): void {
    this.#state.code.tee(this.#state.stop).if_("none", 0);
    this.#state.leave(site);
    this.#state.code.end();
  }

  // ── Accesses ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Leaves the loaded value on the stack. */
  load(access: LoadKind, aligned: boolean, context: AccessContext): void {
    const { code: c, address } = this.#state;
    if (aligned) this.#testAlignment(context.site);
    if (context.lean) {
      this.#require(false, accessSize[access], context);
      const offset = this.#pushPlace(context);
      return void c.memory(access, offset);
    }
    const done = c.block(access === "v128.load" ? "v128" : access === "i64.load" ? "i64" : "i32");
    const slow = c.block();
    this.#test(false, accessSize[access], slow, context);
    c.get(address).op("i32.wrap_i64").memory(access).br(done);
    c.end();
    c.get(address).call(this.#import(loadNames[access]));
    c.i32(0).memory("i32.load", cpuAddress(cell.stop));
    this.#leaveIfStopped(context.site);
    this.#askAgain(context);
    c.end();
  }

  /** Stores what `push` leaves. */
  store(op: Op & { kind: "store" }, push: () => void, context: AccessContext): void {
    const { code: c, address } = this.#state;
    if (op.aligned) this.#testAlignment(context.site);
    const size = op.aligned ? 1 : accessSize[op.access];
    if (context.lean) {
      this.#require(true, size, context);
      const offset = this.#pushPlace(context);
      push();
      return void c.memory(op.access, offset);
    }
    const done = c.block();
    const slow = c.block();
    this.#test(true, size, slow, context);
    c.get(address).op("i32.wrap_i64");
    push();
    c.memory(op.access).br(done);
    c.end();
    c.get(address);
    push();
    c.i32(context.site.address).call(this.#import(storeName(op)));
    this.#leaveIfStopped(context.site);
    this.#askAgain(context);
    c.end();
  }

  probe(size: number, context: AccessContext): void {
    if (context.lean) return this.#require(true, size, context);
    const { code: c, address } = this.#state;
    const done = c.block();
    const slow = c.block();
    this.#test(true, size, slow, context);
    c.br(done);
    c.end();
    c.get(address).i32(size).call(this.#import("probe"));
    this.#leaveIfStopped(context.site);
    this.#askAgain(context);
    c.end();
  }

  #isTracing(): void {
    this.#state.code.i32(0).memory("i32.load", cpuAddress(cell.tracing));
  }

  flush(op: FlushOp, context: AccessContext): void {
    const { code: c, address } = this.#state;
    const done = c.block();
    const slow = c.block();
    this.#isTracing();
    c.brIf(slow);
    this.#test(false, 1, slow, context);
    c.br(done);
    c.end();
    c.i32(eventKinds[op]).get(address).i32(context.site.address).call(this.#import("event"));
    this.#leaveIfStopped(context.site);
    c.end();
  }

  fence(op: FenceOp, site: Site): void {
    const { code: c } = this.#state;
    this.#isTracing();
    c.if_("none", 0);
    c.i32(eventKinds[op]).i64(0n).i32(site.address).call(this.#import("event"));
    this.#leaveIfStopped(site);
    c.end();
  }
}
