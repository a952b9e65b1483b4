/**
 * Guest memory accesses. The fast path is a few tests (page-tests.ts), or none where a window's leader has made them, and the
 * access. Where a test fails, the region is left and the interpreter makes the instruction; where that happens often,
 * the runtime is called, which does the access or says why not.
 */
import { accessSize, type FenceOp, type FlushOp, type LoadKind, type Op } from "../../isa/ir/index.ts";
import type { Label } from "../../isa/wasm/index.ts";
import { codeOf } from "../../trace/record/index.ts";
import { branchUnlessNoted, branchUnlessUsed, cell, cpuAddress, type NoteLocals, stop } from "../runtime/index.ts";
import { type Imports, loadNames, storeName } from "./imports.ts";
import { type AccessContext, PageTests } from "./page-tests.ts";
import type { RegionState, Site } from "./state.ts";
import { isVouchedFor } from "./windows.ts";

const vectorBytes = 16;
const vectorAlignment = 15n;
const storeOf = ({ access }: Op & { kind: "store" }) => (access === "v256.store" ? "v128.store" : access);

export class AccessWriter {
  readonly #state: RegionState;
  readonly #imports: Imports;
  readonly #tests: PageTests;
  #noteLocals: NoteLocals | undefined;

  constructor(state: RegionState, imports: Imports) {
    this.#state = state;
    this.#tests = new PageTests(state);
    this.#imports = imports;
  }

  #import(name: string): number {
    return this.#imports.get(name)!;
  }

  /** Leaves the region unless the access may go straight to memory; the interpreter then makes the instruction. */
  #require(writes: boolean, size: number, context: AccessContext): void {
    if (isVouchedFor(context.member)) return;
    const c = this.#state.code;
    const fine = c.block();
    const slow = c.block();
    this.#tests.branchUnlessPlain(writes, size, slow, context);
    c.br(fine);
    c.end();
    c.i32(stop.slow).set(this.#state.stop);
    this.#state.leave(context.site);
    c.end();
    const { member } = context;
    if (!member) return;
    this.#tests.pushAddress(member.window.low - member.offset).op("i32.wrap_i64");
    c.set(this.#tests.localOf(member));
  }

  /** Pushes a place in memory; the access lies so many bytes after it. */
  #pushPlace({ member, lean }: AccessContext): number {
    const { code: c, address } = this.#state;
    if (!member || !lean) {
      c.get(address).op("i32.wrap_i64");
      return 0;
    }
    c.get(this.#tests.localOf(member));
    return member.offset - member.window.low;
  }

  /** After a slow access that was done: perhaps its page is fit for fast ones now. */
  #askAgain({ member }: AccessContext): void {
    if (!member) return;
    const { window, offset } = member;
    this.#tests.pushAddress(window.low - offset);
    if (window.writable) this.#tests.pushAddress(window.high - 1 - offset);
    this.#state.code.call(this.#import(window.writable ? "writable" : "readable")).set(this.#tests.localOf(member));
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
    this.#tests.branchUnlessPlain(false, accessSize[access], slow, context);
    c.get(address).op("i32.wrap_i64").memory(access).br(done);
    c.end();
    this.#loadWatched(access, context, done);
    c.get(address).i32(context.site.address).call(this.#import(loadNames[access]));
    c.i32(0).memory("i32.load", cpuAddress(cell.stop));
    this.#leaveIfStopped(context.site);
    this.#askAgain(context);
    c.end();
  }

  /** A word of watched memory goes straight through once its use is noted. What follows in its window asks for itself. */
  #loadWatched(access: LoadKind, { member }: AccessContext, done: Label): void {
    const { code: c, address, low } = this.#state;
    const other = c.block();
    c.get(address).i64(32n).op("i64.shr_u").i64(0n).op("i64.ne").brIf(other);
    c.get(address).op("i32.wrap_i64").set(low);
    if (access === "v128.load") branchUnlessUsed(c, low, accessSize[access], other);
    else {
      this.#noteLocals ??= { shift: c.local("i32"), fresh: c.local("i32"), next: c.local("i32") };
      branchUnlessNoted(c, low, accessSize[access], other, this.#noteLocals);
    }
    if (member) c.i32(0).set(this.#tests.localOf(member));
    c.get(low).memory(access).br(done);
    c.end();
  }

  /** Stores what `push` leaves, each at its place from the address on. */
  store(op: Op & { kind: "store" }, push: readonly (() => void)[], context: AccessContext): void {
    const { code: c, address } = this.#state;
    if (op.aligned) this.#testAlignment(context.site);
    const size = op.aligned ? 1 : accessSize[op.access];
    if (context.lean) {
      this.#require(true, size, context);
      for (const [i, value] of push.entries()) {
        const offset = this.#pushPlace(context);
        value();
        c.memory(storeOf(op), offset + i * vectorBytes);
      }
      return;
    }
    const done = c.block();
    const slow = c.block();
    this.#tests.branchUnlessPlain(true, size, slow, context);
    for (const [i, value] of push.entries()) {
      c.get(address).op("i32.wrap_i64");
      value();
      c.memory(storeOf(op), i * vectorBytes);
    }
    c.br(done);
    c.end();
    c.get(address);
    for (const value of push) value();
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
    this.#tests.branchUnlessPlain(true, size, slow, context);
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
    this.#tests.branchUnlessPlain(false, 1, slow, context);
    c.br(done);
    c.end();
    c.i32(codeOf[op]).get(address).i32(context.site.address).call(this.#import("event"));
    this.#leaveIfStopped(context.site);
    c.end();
  }

  fence(op: FenceOp, site: Site): void {
    const { code: c } = this.#state;
    this.#isTracing();
    c.if_("none", 0);
    c.i32(codeOf[op]).i64(0n).i32(site.address).call(this.#import("event"));
    this.#leaveIfStopped(site);
    c.end();
  }
}
