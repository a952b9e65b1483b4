/**
 * Valgrind client requests that only become an event, recorded here without the way through TypeScript. Which they are,
 * and which of their arguments say what, stands in rows that the machine writes (machine/cpu/request-rows.ts); a row of zeros,
 * or a number that has none, is the host's to answer.
 */
import { cpuOffset } from "../../isa/ir/index.ts";
import { Code, type Label } from "../../isa/wasm/index.ts";
import { type EventFunctions, emitRecord, emitRoomAtOnce } from "./events.ts";
import { cell, cpuAddress, fast, layout, pageBits } from "./layout.ts";

/** `xchg rbx, rbx`, which the machine makes only as the end of a request. */
export const requestBytes = [0x48, 0x87, 0xdb] as const;
const requestWord = requestBytes[0] | (requestBytes[1] << 8) | (requestBytes[2] << 16);

/** A row lies at this byte of a table that begins at `cell.requestRows`; numbers without a place have no row. */
export const requestTables = [
  { first: 0x5043_0000, rows: 32, at: 0 },
  { first: 4869, rows: 2, at: 32 * 4 },
  // memcheck's, and one about errors: libpmemobj makes as many of these as of all others.
  { first: 0x4d43_0000, rows: 16, at: 34 * 4 },
  { first: 0x1801, rows: 1, at: 50 * 4 },
] as const;

/** Parts of a row's word above the sixteen bits of the record's kind and size, which are not 0. */
export const requestRow = {
  /** Offsets of the range's words among the arguments, the request's number being the first; 0: there is none. */
  start: { shift: 16, bits: 6 },
  length: { shift: 22, bits: 6 },
  isOwn: 1 << 28,
  isNamed: 1 << 29,
  /** Nothing becomes of it, and its answer is the default. */
  isIgnored: 1 << 30,
} as const;

/** The number and five arguments. */
const requestLength = 48;
const [rax, rdx] = [0, 2] as const;
const gpr = (index: number): number => cpuAddress(cpuOffset.gpr + 8 * index);

class Requests {
  readonly #c = new Code([]);
  readonly #others: number;
  readonly #events: EventFunctions;
  readonly #emptyEvents: number;
  readonly #rip = this.#c.local("i32");
  readonly #words = this.#c.local("i32");
  readonly #number = this.#c.local("i32");
  readonly #row = this.#c.local("i32");
  readonly #transaction = this.#c.local("i64");
  readonly #at = this.#c.local("i32");
  #other: Label = 0;

  constructor(others: number, events: EventFunctions, emptyEvents: number) {
    this.#others = others;
    this.#events = events;
    this.#emptyEvents = emptyEvents;
  }

  write(): Code {
    const c = this.#c;
    this.#other = c.block();
    this.#look();
    this.#findRow();
    c.get(this.#row).i32(requestRow.isIgnored).op("i32.and").op("i32.eqz").if_("none");
    this.#findTransaction();
    this.#record();
    c.i32(0).i64(0n).memory("i64.store", gpr(rdx));
    c.end();
    c.i32(0).get(this.#rip).i32(requestBytes.length).op("i32.add").op("i64.extend_i32_u");
    c.memory("i64.store", cpuAddress(cpuOffset.rip));
    c.i32(0).return_();
    c.end();
    return c.call(this.#others);
  }

  /** Leaves the request's words where they can be read, and its number. */
  #look(): void {
    const c = this.#c;
    c.i32(0).memory("i32.load", cpuAddress(cell.requests)).op("i32.eqz").brIf(this.#other);
    c.i32(0).memory("i32.load", cpuAddress(cpuOffset.rip)).tee(this.#rip);
    c.memory("i32.load").i32(0xff_ffff).op("i32.and").i32(requestWord).op("i32.ne").brIf(this.#other);
    c.i32(0).memory("i32.load", gpr(rax)).tee(this.#words);
    c.i32(pageBits).op("i32.shr_u").memory("i32.load8_u", layout.pageFast);
    c.i32(fast.read).op("i32.and").op("i32.eqz").brIf(this.#other);
    c.get(this.#words).i32(-requestLength).op("i32.gt_u").brIf(this.#other);
    c.get(this.#words).memory("i32.load").set(this.#number);
  }

  #findRow(): void {
    const c = this.#c;
    const found = c.block();
    for (const { first, rows, at } of requestTables) {
      const next = c.block();
      c.get(this.#number).i32(first).op("i32.sub").tee(this.#row).i32(rows).op("i32.ge_u").brIf(next);
      c.get(this.#row)
        .i32(2)
        .op("i32.shl")
        .memory("i32.load", cpuAddress(cell.requestRows) + at);
      c.tee(this.#row).op("i32.eqz").brIf(this.#other);
      c.br(found);
      c.end();
    }
    c.br(this.#other);
    c.end();
  }

  #findTransaction(): void {
    const c = this.#c;
    const name = c.local("i64");
    c.i64(0n).set(this.#transaction);
    c.get(this.#row).i32(requestRow.isOwn).op("i32.and").if_();
    c.i32(0).memory("i64.load32_u", cpuAddress(cell.thread)).i64(0x8000_0000n).op("i64.or").set(this.#transaction);
    c.end();
    c.get(this.#row).i32(requestRow.isNamed).op("i32.and").if_();
    c.get(this.#words).memory("i64.load", 8).tee(name).get(name).i64(32n).op("i64.shr_u").op("i64.xor");
    c.i64(0xffff_ffffn).op("i64.and").set(this.#transaction);
    c.end();
  }

  /** The low half of the argument that a row names, or 0. */
  #argument({ shift, bits }: { readonly shift: number; readonly bits: number }): void {
    const c = this.#c;
    const offset = c.local("i32");
    const mask = (1 << bits) - 1;
    c.get(this.#row).i32(shift).op("i32.shr_u").i32(mask).op("i32.and").tee(offset).if_("i32");
    c.get(this.#words).get(offset).op("i32.add").memory("i32.load");
    c.else_();
    c.i32(0);
    c.end();
  }

  #record(): void {
    const c = this.#c;
    emitRoomAtOnce(c, this.#at, this.#emptyEvents);
    emitRecord(
      c,
      {
        at: this.#at,
        kindAndSize: () => c.get(this.#row).i32(0xffff).op("i32.and"),
        address: () => this.#argument(requestRow.start),
        rip: () => c.get(this.#rip),
        value: () => {
          this.#argument(requestRow.length);
          c.op("i64.extend_i32_u").get(this.#transaction).i64(32n).op("i64.shl").op("i64.or");
        },
      },
      this.#events.contexts,
    );
  }
}

/** () → 0 and rip moved on, or what `others` gives. */
export const requestsFunction = (others: number, events: EventFunctions, emptyEvents: number): Code =>
  new Requests(others, events, emptyEvents).write();
