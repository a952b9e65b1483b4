/**
 * Whether an access may go straight to memory: two tests for a load (the address lies in the guest's 4 GiB, the page may
 * be read) and three for a store (as well, not onto a page that may not be written), or one test of the answer that a
 * window's leader left (windows.ts). Layout and meaning of the page bytes: machine/runtime/layout.ts.
 */

import { Code, type Label } from "../../isa/wasm/index.ts";
import { fast, layout, pageBits, pageSize } from "../runtime/index.ts";
import type { RegionState, Site } from "./state.ts";
import type { Member } from "./windows.ts";

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

export class PageTests {
  readonly #state: RegionState;

  constructor(state: RegionState) {
    this.#state = state;
  }

  /** Pushes the address plus a constant. */
  pushAddress(offset: number): Code {
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
      this.pushAddress(offset).op("i32.wrap_i64").i32(pageBits).op("i32.shr_u");
    } else {
      this.pushAddress(offset).op("i32.wrap_i64").tee(low).op("i64.extend_i32_u");
      this.pushAddress(offset).op("i64.ne").brIf(slow, 0);
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
    pageByte(this.pushAddress(size - 1))
      .i32(fast.write)
      .op("i32.and")
      .op("i32.eqz")
      .brIf(slow, 0);
    c.end();
  }

  /** Branches to `slow` unless the access may go straight to memory. */
  branchUnlessPlain(writes: boolean, size: number, slow: Label, context: AccessContext): void {
    const c = this.#state.code;
    const { known, member } = context;
    if (member && !member.leads) {
      c.get(this.localOf(member)).op("i32.eqz").brIf(slow, 0);
      return;
    }
    const low = member ? member.window.low - member.offset : 0;
    this.#pushPage(low, slow, context);
    if (member?.window.writable ?? writes) {
      if (member) pageByte(this.pushAddress(member.window.high - 1 - member.offset)).op("i32.and");
      c.i32(fast.write).op("i32.and").op("i32.eqz").brIf(slow, 0);
      if (!member) this.#testLastByte(size, slow, known);
    } else this.#testReadable(low, member ? member.window.high - member.window.low : size, slow);
    if (member && !member.window.lean) c.i32(1).set(this.localOf(member));
  }

  /** Branches to `slow` unless `size` bytes at address + offset may be read; the page's byte is on the stack. */
  #testReadable(offset: number, size: number, slow: Label): void {
    const { code: c, pageByte } = this.#state;
    c.tee(pageByte).i32(fast.read).op("i32.and").op("i32.eqz").if_("none", 0);
    c.get(pageByte).i32(fast.readAlone).op("i32.and").op("i32.eqz").brIf(slow, 0);
    this.pushAddress(offset)
      .op("i32.wrap_i64")
      .i32(pageSize - 1)
      .op("i32.and");
    c.i32(pageSize - size)
      .op("i32.gt_u")
      .brIf(slow, 0);
    c.end();
  }

  /** The local that a window's leader sets for its followers. */
  localOf({ window }: Member): number {
    window.local ??= this.#state.code.local("i32");
    return window.local;
  }
}
