/**
 * REP STOS and REP MOVS of few bytes to and from ordinary memory, as compilers write them for small structures: done
 * here, without the way through TypeScript. Everything else about machine-made instructions, and whatever is not plain in
 * these, is left to the host (machine/complex/strings.ts), which gives the same result (SDM vol. 2: REP, STOS, MOVS).
 */
import { cpuOffset } from "../../isa/ir/index.ts";
import { Code, type Label } from "../../isa/wasm/index.ts";
import { cell, cpuAddress, fast, layout, pageBits } from "./layout.ts";

/** Two pages at most, so that looking at the first and the last byte's is enough. */
const maxBytes = 4096;

/** The prefix REP, REX.W, and opcodes less their lowest bit, which tells bytes from words. */
const encoding = { rep: 0xf3, wide: 0x48, movs: 0xa4, stos: 0xaa } as const;
const [rax, rcx, rsi, rdi] = [0, 1, 6, 7] as const;
const gpr = (index: number): number => cpuAddress(cpuOffset.gpr + 8 * index);

class Repeats {
  readonly #c = new Code([]);
  readonly #host: number;
  readonly #rip = this.#c.local("i32");
  readonly #opcode = this.#c.local("i32");
  readonly #length = this.#c.local("i32");
  readonly #isWide = this.#c.local("i32");
  readonly #shift = this.#c.local("i32");
  readonly #bytes = this.#c.local("i32");
  readonly #to = this.#c.local("i32");
  readonly #from = this.#c.local("i32");
  readonly #done = this.#c.local("i32");
  /** Where the host is asked. */
  #other: Label = 0;

  constructor(host: number) {
    this.#host = host;
  }

  write(): Code {
    const c = this.#c;
    this.#other = c.block();
    c.i32(0).memory("i32.load", cpuAddress(cell.hostMakes)).brIf(this.#other);
    this.#decode();
    this.#measure();
    this.#checkPages(this.#to, fast.write);
    c.get(this.#opcode).i32(encoding.movs).op("i32.eq").if_("none");
    this.#copy();
    c.else_();
    this.#fill();
    c.end();
    this.#finish();
    c.end();
    return c.call(this.#host);
  }

  /** The opcode without its lowest bit, the instruction's length and the logarithm of an element's size. */
  #decode(): void {
    const c = this.#c;
    const byteAt = (offset: number) => c.get(this.#rip).memory("i32.load8_u", offset);
    c.i32(0).memory("i32.load", cpuAddress(cpuOffset.rip)).set(this.#rip);
    byteAt(0).i32(encoding.rep).op("i32.ne").brIf(this.#other);
    byteAt(1).i32(encoding.wide).op("i32.eq").tee(this.#isWide);
    c.i32(2).op("i32.add").set(this.#length);
    c.get(this.#rip).get(this.#isWide).op("i32.add").memory("i32.load8_u", 1).set(this.#opcode);
    // Bytes, else eight of them if wide, four if not.
    c.get(this.#isWide).i32(2).op("i32.add");
    c.get(this.#opcode).i32(1).op("i32.and").op("i32.mul").set(this.#shift);
    c.get(this.#opcode).i32(0xfe).op("i32.and").tee(this.#opcode).i32(encoding.movs).op("i32.ne");
    c.get(this.#opcode).i32(encoding.stos).op("i32.ne").op("i32.and").brIf(this.#other);
    c.i32(0).memory("i32.load", cpuAddress(cpuOffset.direction)).brIf(this.#other);
  }

  /** How many bytes, at least one and not many, and where they go. */
  #measure(): void {
    const c = this.#c;
    c.i32(0).memory("i64.load", gpr(rcx)).i64(1n).op("i64.sub").i64(BigInt(maxBytes)).op("i64.ge_u").brIf(this.#other);
    c.i32(0).memory("i32.load", gpr(rcx)).get(this.#shift).op("i32.shl").tee(this.#bytes);
    c.i32(maxBytes).op("i32.gt_u").brIf(this.#other);
    this.#address(rdi, this.#to);
  }

  #address(register: number, into: number): void {
    const c = this.#c;
    c.i32(0)
      .memory("i32.load", gpr(register) + 4)
      .brIf(this.#other);
    c.i32(0).memory("i32.load", gpr(register)).set(into);
  }

  #checkPages(start: number, bit: number): void {
    const c = this.#c;
    const pageAt = () => c.i32(pageBits).op("i32.shr_u").memory("i32.load8_u", layout.pageFast);
    c.get(start);
    pageAt();
    c.get(start).get(this.#bytes).op("i32.add").i32(1).op("i32.sub");
    pageAt().op("i32.and").i32(bit).op("i32.and").op("i32.eqz").brIf(this.#other);
  }

  /** Bytes that feed on copies of themselves are the host's. */
  #copy(): void {
    const c = this.#c;
    this.#address(rsi, this.#from);
    this.#checkPages(this.#from, fast.readAlone);
    c.get(this.#to).get(this.#from).op("i32.sub").get(this.#bytes).op("i32.lt_u").brIf(this.#other);
    c.get(this.#to).get(this.#from).get(this.#bytes).memoryCopy();
    this.#advance(rsi);
  }

  #fill(): void {
    const c = this.#c;
    const value = c.local("i64");
    c.i32(0).memory("i64.load", gpr(rax)).set(value);
    c.get(this.#shift).op("i32.eqz").get(value).op("i64.eqz").op("i32.or").if_("none");
    c.get(this.#to).get(value).op("i32.wrap_i64").get(this.#bytes).memoryFill();
    c.else_();
    c.i32(0).set(this.#done);
    const again = c.loop();
    c.get(this.#isWide).if_("none");
    c.get(this.#to).get(this.#done).op("i32.add").get(value).memory("i64.store");
    c.else_();
    c.get(this.#to).get(this.#done).op("i32.add").get(value).memory("i64.store32");
    c.end();
    c.get(this.#done).i32(1).get(this.#shift).op("i32.shl").op("i32.add").tee(this.#done);
    c.get(this.#bytes).op("i32.lt_u").brIf(again);
    c.end();
    c.end();
  }

  #advance(register: number): void {
    this.#c
      .i32(0)
      .i32(0)
      .memory("i64.load", gpr(register))
      .get(this.#bytes)
      .op("i64.extend_i32_u")
      .op("i64.add")
      .memory("i64.store", gpr(register));
  }

  #finish(): void {
    const c = this.#c;
    this.#advance(rdi);
    c.i32(0).i64(0n).memory("i64.store", gpr(rcx));
    c.i32(0).get(this.#rip).get(this.#length).op("i32.add").op("i64.extend_i32_u");
    c.memory("i64.store", cpuAddress(cpuOffset.rip));
    c.i32(0).return_();
  }
}

/** () → what `host` gives: 0 and rip moved on, or a stop code. */
export const repeatsFunction = (host: number): Code => new Repeats(host).write();
