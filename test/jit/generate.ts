/** Random guest programs: loops, branches, calls, narrow and wide arithmetic, accesses off shared bases, rare faults. */
import { below, pick, type RandomState } from "../../src/base/index.ts";
import { data } from "./machine.ts";

/** Not among them: rsp, r12 (loop counter of the whole program), rbx and rbp (pointers into the data). */
const wide = ["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r13", "r14", "r15"] as const;
const narrow: Readonly<Record<number, readonly string[]>> = {
  1: ["al", "cl", "dl", "sil", "dil", "r8b", "r9b", "r10b", "ah", "dh"],
  2: ["ax", "cx", "dx", "si", "di", "r8w", "r9w", "r10w"],
  4: ["eax", "ecx", "edx", "esi", "edi", "r8d", "r9d", "r10d"],
  8: wide,
};
const pointerName: Readonly<Record<number, string>> = { 1: "byte", 2: "word", 4: "dword", 8: "qword" };
const conditions = ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"] as const;

export function randomProgram(random: RandomState): string {
  return new Generator(random).program();
}

class Generator {
  readonly #random: RandomState;
  readonly #lines: string[] = [];
  #labels = 0;

  constructor(random: RandomState) {
    this.#random = random;
  }

  program(): string {
    this.#emit(`mov ebx, ${data + 0x800}`, `mov ebp, ${data + 0x1ff0}`, "mov r12d, 40");
    for (const register of wide) this.#emit(`mov ${register}, ${below(this.#random, 0x7fff_ffff)}`);
    this.#emit("again:");
    this.#body(12, 2);
    this.#emit("dec r12d", "jnz again", "syscall");
    for (const name of ["f0", "f1", "f2"]) {
      this.#emit(`${name}:`, "push rdi", "push r14");
      this.#body(4, 1);
      if (name === "f2") this.#emit("call f0");
      this.#emit("pop r14", "pop rdi", "ret");
    }
    return this.#lines.join("\n");
  }

  #emit(...lines: readonly string[]): void {
    this.#lines.push(...lines);
  }
  #chance(oneIn: number): boolean {
    return below(this.#random, oneIn) === 0;
  }
  #size(): number {
    return pick(this.#random, [1, 2, 4, 4, 8, 8]);
  }
  #register(size: number): string {
    return pick(this.#random, narrow[size]!);
  }
  /** Near the end of a page now and then; out of bounds hardly ever. No index with ah and its kind: they exclude REX. */
  #memory(size: number): string {
    const base = pick(this.#random, ["rbx", "rbx", "rbp", "rsp"]);
    if (base === "rsp") return `${pointerName[size]} ptr [rsp-${8 + below(this.#random, 100)}]`;
    return `${pointerName[size]} ptr [${base}+${below(this.#random, 64)}]`;
  }

  #body(count: number, depth: number): void {
    for (let i = 0; i < count; i++) this.#statement(depth);
  }

  #statement(depth: number): void {
    const kind = below(this.#random, 16);
    if (kind < 2 && depth > 0) return this.#branch(depth);
    if (kind === 2 && depth > 0) return this.#loop(depth);
    if (kind === 3 && depth > 1) return this.#emit(`call ${pick(this.#random, ["f0", "f1", "f2"])}`);
    if (kind === 4) return this.#pointer();
    if (kind === 5) return this.#vector();
    if (kind === 7) return this.#float();
    if (kind === 6) return this.#emit("push rsi", "push rdi", "pop rsi", "pop rdi");
    this.#arithmetic();
  }

  #branch(depth: number): void {
    const [other, end] = [this.#label(), this.#label()];
    this.#compare();
    this.#emit(`j${pick(this.#random, conditions)} ${other}`);
    this.#body(2, depth - 1);
    if (this.#chance(2)) this.#emit(`j${pick(this.#random, conditions)} ${end}`);
    this.#emit(`jmp ${end}`, `${other}:`);
    this.#body(2, depth - 1);
    this.#emit(`${end}:`);
  }

  #loop(depth: number): void {
    const top = this.#label();
    this.#emit(`push ${2 + below(this.#random, 4)}`, `${top}:`);
    this.#body(2, depth - 1);
    this.#emit("dec qword ptr [rsp]", `jnz ${top}`, "lea rsp, [rsp+8]");
  }

  #label(): string {
    return `l${this.#labels++}`;
  }

  #compare(): void {
    const size = this.#size();
    const left = this.#chance(3) ? this.#memory(size) : this.#register(size);
    const right = below(this.#random, size === 1 ? 100 : 1000);
    this.#emit(`${pick(this.#random, ["cmp", "test", "add", "sub"])} ${left}, ${right}`);
  }

  /** Moves a base, within the data but for one time in sixty. */
  #pointer(): void {
    const base = pick(this.#random, ["rbx", "rbp"]);
    if (this.#chance(60)) return this.#emit(`lea ${base}, [${base}+r12*8+0x1f00]`);
    if (this.#chance(2)) return this.#emit(`xor ${base}, ${8 << below(this.#random, 4)}`);
    this.#emit(`and rax, 0x7f`, `lea ${base}, [rax*8+${data + 0xf80}]`);
  }

  #vector(): void {
    const [x, y] = [below(this.#random, 4), below(this.#random, 4)];
    this.#emit(`movq xmm${x}, ${this.#register(8)}`, `movdqu xmm${y}, [rbx+${below(this.#random, 40)}]`);
    this.#emit(`${pick(this.#random, ["paddd", "pxor", "punpcklbw", "psubq"])} xmm${x}, xmm${y}`);
    this.#emit(`movdqu [rbp+${below(this.#random, 40)}], xmm${x}`);
  }

  /** On whatever bits there are, NaNs included; now and then under another rounding. */
  #float(): void {
    const [x, y] = [below(this.#random, 4), below(this.#random, 4)];
    if (this.#chance(12)) {
      const mxcsr = pick(this.#random, [0x1f80, 0x1f80, 0x3f80, 0xff80]);
      this.#emit(`mov dword ptr [rbx+8], ${mxcsr}`, "ldmxcsr [rbx+8]");
    }
    const operation = pick(this.#random, ["addsd", "mulsd", "subss", "divpd", "sqrtsd", "minps", "addps", "cvtsd2ss"]);
    this.#emit(`${operation} xmm${x}, xmm${y}`);
    if (this.#chance(2)) this.#emit(`cvtsi2sd xmm${y}, ${pick(this.#random, wide)}`);
    else this.#emit(`cvttsd2si ${pick(this.#random, wide)}, xmm${x}`);
    this.#emit(`ucomisd xmm${y}, [rbp+${below(this.#random, 20)}]`, `movq [rbx+${below(this.#random, 9)}], xmm${x}`);
    if (this.#chance(2)) this.#emit(`mov byte ptr [rbp+${below(this.#random, 9)}], ah`);
  }

  #arithmetic(): void {
    const size = this.#size();
    const register = this.#register(size);
    const other = this.#register(size);
    const memory = this.#memory(size);
    const binary = pick(this.#random, ["add", "sub", "adc", "sbb", "and", "or", "xor", "mov", "cmp", "test"]);
    const plain = size === 1 && /h$/.test(register + other) ? "bl" : other;
    const forms: (() => string)[] = [
      () => `${binary} ${register}, ${register}`,
      () =>
        `${binary} ${register.endsWith("h") ? "bl" : register}, ${/h$/.test(plain) ? "bl" : plain}`.replace(
          "bl, bl",
          "al, cl",
        ),
      () => (binary === "test" ? `test ${memory}, ${register}` : `${binary} ${register}, ${memory}`),
      () => `${binary} ${memory}, ${register}`,
      () => `${pick(this.#random, ["inc", "dec", "neg", "not"])} ${this.#chance(3) ? memory : register}`,
      () => `${pick(this.#random, ["shl", "shr", "sar", "rol"])} ${register}, ${below(this.#random, 8)}`,
      () => `${pick(this.#random, ["shl", "shr", "sar", "ror"])} ${register}, cl`,
      () => `set${pick(this.#random, conditions)} ${this.#chance(2) ? "al" : "byte ptr [rbx+5]"}`,
      () => `cmov${pick(this.#random, conditions)} ${pick(this.#random, wide)}, ${pick(this.#random, wide)}`,
      () => `imul ${pick(this.#random, wide)}, ${pick(this.#random, wide)}`,
      () => `imul ${pick(this.#random, narrow[4]!)}, ${this.#memory(4)}, ${below(this.#random, 200_000)}`,
      () => `${pick(this.#random, ["rcl", "rcr", "ror", "rol"])} ${this.#chance(3) ? memory : register}, 1`,
      () =>
        `${pick(this.#random, ["bt", "bts", "btr", "btc"])} ${pick(this.#random, wide)}, ${below(this.#random, 64)}`,
      () => pick(this.#random, ["clc", "stc", "cmc"]),
      () => `movzx ${pick(this.#random, narrow[4]!)}, ${this.#memory(2)}`,
      () => `lea ${pick(this.#random, wide)}, [${pick(this.#random, wide)}+${pick(this.#random, wide)}*4-7]`,
    ];
    this.#emit(pick(this.#random, forms)().replace(/\bbl\b/g, "dl"));
  }
}
