/**
 * Guest memory accesses. The fast path is two tests for a load (the address lies in the guest's 4 GiB, the page may be
 * read) and three for a store (as well, not across a page's end); everything else calls the runtime, which does the
 * access or says why not. Layout and meaning of the page bytes: runtime/layout.ts.
 */
import { accessSize, type FenceOp, type FlushOp, type LoadKind, type Op } from "../ir/index.ts";
import { cell, cpuAddress, fast, layout, pageBits, pageSize, stop } from "../runtime/index.ts";
import type { Label } from "../wasm/index.ts";
import { type Imports, loadNames, storeName } from "./imports.ts";
import type { RegionState, Site } from "./state.ts";

const lastPage = 0xf_ffffn;
const vectorAlignment = 15n;

export const eventKinds: Readonly<Record<FlushOp | FenceOp, number>> = {
  clflush: 0, clflushopt: 1, clwb: 2, sfence: 3, mfence: 4, lfence: 5, locked: 6,
}; // biome-ignore format: the runtime's order

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

  /** Branches to `slow` unless the page of the address in `address` has the bit. */
  #testPage(bit: number, slow: Label, known: bigint | undefined): void {
    const { code: c, address, page } = this.#state;
    if (known !== undefined && known >= 0n && known >> 32n === 0n) c.i32(Number(known >> BigInt(pageBits)));
    else {
      c.get(address).i64(BigInt(pageBits)).op("i64.shr_u").tee(page).i64(lastPage).op("i64.gt_u").brIf(slow, 0);
      c.get(page).op("i32.wrap_i64");
    }
    c.memory("i32.load8_u", layout.pageFast).i32(bit).op("i32.and").op("i32.eqz").brIf(slow, 0);
  }

  /** Branches to `slow` if `size` bytes from the address run over the end of its page; aligned ones cannot. */
  #testCrossing(size: number, slow: Label, known: bigint | undefined): void {
    if (size === 1 || (known !== undefined && Number(known & 4095n) <= pageSize - size)) return;
    const { code: c, address } = this.#state;
    c.get(address)
      .op("i32.wrap_i64")
      .i32(size - 1)
      .op("i32.and")
      .if_("none", 0);
    c.get(address)
      .op("i32.wrap_i64")
      .i32(pageSize - 1)
      .op("i32.and")
      .i32(pageSize - size)
      .op("i32.gt_u")
      .brIf(slow, 0);
    c.end();
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

  /** Leaves the loaded value on the stack. The address is in `address`, and is `known` if constant. */
  load(access: LoadKind, aligned: boolean, site: Site, known: bigint | undefined): void {
    const { code: c, address } = this.#state;
    if (aligned) this.#testAlignment(site);
    const done = c.block(access === "v128.load" ? "v128" : access === "i64.load" ? "i64" : "i32");
    const slow = c.block();
    this.#testPage(fast.read, slow, known);
    c.get(address).op("i32.wrap_i64").memory(access).br(done);
    c.end();
    c.get(address).call(this.#import(loadNames[access]));
    c.i32(0).memory("i32.load", cpuAddress(cell.stop));
    this.#leaveIfStopped(site);
    c.end();
  }

  /** Stores what `push` leaves; the runtime logs the store with the fuel the interpreter would have had. */
  store(
    op: Op & { kind: "store" },
    push: () => void,
    site: Site,
    unusedAtEnd: number,
    known: bigint | undefined,
  ): void {
    const { code: c, address } = this.#state;
    if (op.aligned) this.#testAlignment(site);
    const done = c.block();
    const slow = c.block();
    this.#testPage(fast.write, slow, known);
    if (!op.aligned) this.#testCrossing(accessSize[op.access], slow, known);
    c.get(address).op("i32.wrap_i64");
    push();
    c.memory(op.access).br(done);
    c.end();
    this.#state.storeFuel(unusedAtEnd);
    c.get(address);
    push();
    c.i32(site.address).call(this.#import(storeName(op)));
    this.#leaveIfStopped(site);
    c.end();
  }

  probe(size: number, site: Site): void {
    const { code: c, address } = this.#state;
    const done = c.block();
    const slow = c.block();
    this.#testPage(fast.write, slow, undefined);
    this.#testCrossing(size, slow, undefined);
    c.br(done);
    c.end();
    c.get(address).i32(size).call(this.#import("probe"));
    this.#leaveIfStopped(site);
    c.end();
  }

  #isTracing(): void {
    this.#state.code.i32(0).memory("i32.load", cpuAddress(cell.tracing));
  }

  flush(op: FlushOp, site: Site, unusedAtEnd: number): void {
    const { code: c, address } = this.#state;
    const done = c.block();
    const slow = c.block();
    this.#isTracing();
    c.brIf(slow);
    this.#testPage(fast.read, slow, undefined);
    c.br(done);
    c.end();
    this.#state.storeFuel(unusedAtEnd);
    c.i32(eventKinds[op]).get(address).i32(site.address).call(this.#import("event"));
    this.#leaveIfStopped(site);
    c.end();
  }

  fence(op: FenceOp, site: Site, unusedAtEnd: number): void {
    const { code: c } = this.#state;
    this.#isTracing();
    c.if_("none", 0);
    this.#state.storeFuel(unusedAtEnd);
    c.i32(eventKinds[op]).i64(0n).i32(site.address).call(this.#import("event"));
    this.#leaveIfStopped(site);
    c.end();
  }
}
