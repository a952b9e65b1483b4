/**
 * SSE arithmetic against the processor this runs on: every operation on random and edge operands under random MXCSR
 * (all roundings, DAZ, FTZ, unmasked exceptions). Result bits, MXCSR flags and the occurrence of #XM must be equal.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { below, next64, pick, type RandomState, seedRandom } from "../../base/index.ts";
import * as sf from "./index.ts";

const SEED = Number(process.env.SEED ?? 1);
const INPUTS = Number(process.env.INPUTS ?? 1000);

interface Row {
  readonly name: string;
  readonly asm: string;
  readonly operands: "binary32" | "binary64" | "int32" | "int64";
  readonly ours: (a: bigint, b: bigint, mxcsr: number) => { bits: bigint; flags: number };
}

const orderFlags: Record<sf.Ordering, bigint> = { less: 1n, equal: 0x40n, greater: 0n, unordered: 0x45n };
const suffix = { binary32: "s", binary64: "d" } as const;
const formats = ["binary32", "binary64"] as const;
const binaries = {
  add: sf.sseAdd,
  sub: sf.sseSubtract,
  mul: sf.sseMultiply,
  div: sf.sseDivide,
  min: sf.sseMinimum,
  max: sf.sseMaximum,
};
const sext = (bits: number) => (a: bigint) => BigInt.asIntN(bits, a);

/** Operands: xmm1 = a, xmm2 = b, xmm0 = result (starts as a). rax for integers. */
const rows: Row[] = formats.flatMap((f) => {
  const s = suffix[f];
  const other = f === "binary32" ? "binary64" : "binary32";
  const integer = (name: string, wide: boolean, truncate: boolean): Row => ({
    name: `${name}${wide ? "64" : "32"}`,
    asm: `${name} %%xmm1, ${wide ? "%%rax" : "%%eax"}\\n movq %%rax, %%xmm0`,
    operands: f,
    ours: (a, _b, m) => sf.sseToInteger(f, a, wide ? 64 : 32, truncate, m),
  });
  return [
    ...Object.entries(binaries).map(
      ([name, op]): Row => ({
        name: `${name}s${s}`,
        asm: `${name}s${s} %%xmm2, %%xmm0`,
        operands: f,
        ours: (a, b, m) => op(f, a, b, m),
      }),
    ),
    { name: `sqrts${s}`, asm: `sqrts${s} %%xmm1, %%xmm0`, operands: f, ours: (a, _b, m) => sf.sseSquareRoot(f, a, m) },
    ...[0, 1, 2, 3, 4, 5, 6, 7].map(
      (p): Row => ({
        name: `cmps${s} ${p}`,
        asm: `cmps${s} $${p}, %%xmm2, %%xmm0`,
        operands: f,
        ours: (a, b, m) => sf.sseCompare(f, a, b, p, m),
      }),
    ),
    ...["", "u"].map(
      (u): Row => ({
        name: `${u}comis${s}`,
        asm: `${u}comis${s} %%xmm2, %%xmm1\\n pushfq\\n pop %%rax\\n and $0x45, %%eax\\n movq %%rax, %%xmm0`,
        operands: f,
        ours: (a, b, m) => {
          const { order, flags } = sf.sseOrder(f, a, b, u === "", m);
          return { bits: orderFlags[order], flags };
        },
      }),
    ),
    {
      name: `cvts${s}2s${suffix[other]}`,
      asm: `cvts${s}2s${suffix[other]} %%xmm1, %%xmm0`,
      operands: f,
      ours: (a, _b, m) => sf.sseConvert(f, other, a, m),
    },
    integer(`cvts${s}2si`, false, false),
    integer(`cvts${s}2si`, true, false),
    integer(`cvtts${s}2si`, false, true),
    integer(`cvtts${s}2si`, true, true),
    {
      name: `cvtsi2s${s}l`,
      asm: `movq %%xmm1, %%rax\\n cvtsi2s${s}l %%eax, %%xmm0`,
      operands: "int32",
      ours: (a, _b, m) => sf.sseFromInteger(f, sext(32)(a), m),
    },
    {
      name: `cvtsi2s${s}q`,
      asm: `movq %%xmm1, %%rax\\n cvtsi2s${s}q %%rax, %%xmm0`,
      operands: "int64",
      ours: (a, _b, m) => sf.sseFromInteger(f, sext(64)(a), m),
    },
    ...[0, 1, 2, 3, 4, 8, 9, 12].map(
      (c): Row => ({
        name: `rounds${s} ${c}`,
        asm: `rounds${s} $${c}, %%xmm1, %%xmm0`,
        operands: f,
        ours: (a, _b, m) => sf.sseRound(f, a, c, m),
      }),
    ),
  ];
});

const harness = `
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
typedef struct { uint64_t a, b; uint32_t mxcsr, trapped; uint64_t result; } record;
static sigjmp_buf back; static volatile uint32_t seen;
static void onfault(int n, siginfo_t *i, void *c) { seen = ((ucontext_t *)c)->uc_mcontext.fpregs->mxcsr; siglongjmp(back, 1); }
${rows.map((row, i) => `static void op${i}(record *r) { __asm__ volatile("movq %1, %%xmm1\\n movq %2, %%xmm2\\n movq %1, %%xmm0\\n xor %%eax, %%eax\\n ldmxcsr %3\\n ${row.asm}\\n stmxcsr %3\\n movq %%xmm0, %0" : "=m"(r->result) : "m"(r->a), "m"(r->b), "m"(r->mxcsr) : "rax", "xmm0", "xmm1", "xmm2", "memory", "cc"); }`).join("\n")}
static void (*const ops[])(record *) = { ${rows.map((_, i) => `op${i}`).join(", ")} };
int main(int argc, char **argv) {
  struct sigaction s = { .sa_sigaction = onfault, .sa_flags = SA_SIGINFO | SA_NODEFER };
  sigaction(SIGFPE, &s, 0);
  record r;
  uint32_t normal = 0x1f80;
  while (fread(&r, sizeof r, 1, stdin) == 1) {
    if (!sigsetjmp(back, 1)) ops[atoi(argv[1])](&r);
    else { r.mxcsr = seen; r.trapped = 1; }
    __asm__ volatile("ldmxcsr %0" : : "m"(normal));
    fwrite(&r, sizeof r, 1, stdout);
  }
}`;

const layouts = { binary32: { exponent: 8, fraction: 23 }, binary64: { exponent: 11, fraction: 52 } };

/** Numbers near the places where something changes: exponents at the ends and in the middle, fractions sparse or dense. */
function randomFloat(random: RandomState, format: "binary32" | "binary64"): bigint {
  const { exponent: e, fraction: f } = layouts[format];
  const top = (1 << e) - 1;
  const exponent = pick(random, [
    0,
    0,
    1,
    top,
    top - 1,
    top >> 1,
    (top >> 1) + below(random, 2 * f) - f,
    (top >> 1) + pick(random, [30, 31, 62, 63]),
    below(random, top + 1),
    below(random, 30),
  ]);
  const dense = next64(random) & ((1n << BigInt(f)) - 1n);
  const one = 1n << BigInt(below(random, f));
  const all = (1n << BigInt(f)) - 1n;
  const fraction =
    pick(random, [
      0n,
      dense,
      dense,
      one,
      all,
      all ^ one,
      all - (dense & 3n),
      dense & (dense << 9n),
      (dense >> 29n) << 29n,
    ]) & all;
  return (BigInt(below(random, 2)) << BigInt(e + f)) | (BigInt(exponent) << BigInt(f)) | fraction;
}

const randomInteger = (random: RandomState): bigint => {
  const value = next64(random) >> BigInt(below(random, 64));
  return pick(random, [
    value,
    BigInt.asUintN(64, -value),
    BigInt.asUintN(64, (1n << 63n) + value),
    1n << BigInt(below(random, 64)),
  ]);
};

function randomMxcsr(random: RandomState): number {
  const masks = below(random, 4) === 0 ? below(random, 64) : 63;
  return (masks << 7) | (below(random, 4) << 13) | (pick(random, [0, 0, 1]) << 6) | (pick(random, [0, 0, 1]) << 15);
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "blackout-sse-"));
  writeFileSync(join(folder, "sse.c"), harness);
  execFileSync("gcc", ["-O1", "-w", "-msse4.1", "-o", join(folder, "sse"), join(folder, "sse.c")]);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RECORD = 32;
/** Operations that leave the upper half of the low 64 bits alone: their result is a binary32. */
const narrow = /^((add|sub|mul|div|min|max|sqrt|cmp|round)ss|cvts[id]2ss)/;

describe.runIf(process.arch === "x64")(`SSE against this processor, seed ${SEED}`, () => {
  test.each(rows.map((row, index) => ({ name: row.name, row, index })))("$name", ({ row, index }) => {
    const random = seedRandom(SEED * 1000 + index);
    const input = Buffer.alloc(RECORD * INPUTS);
    for (let i = 0; i < INPUTS; i++) {
      const operand = () =>
        row.operands === "binary32" || row.operands === "binary64"
          ? randomFloat(random, row.operands)
          : randomInteger(random);
      const a = operand();
      input.writeBigUInt64LE(a, i * RECORD);
      input.writeBigUInt64LE(below(random, 6) === 0 ? a : operand(), i * RECORD + 8);
      input.writeUInt32LE(randomMxcsr(random), i * RECORD + 16);
    }
    const output = execFileSync(join(folder, "sse"), [String(index)], { input, maxBuffer: 1 << 28 });
    const wrong: string[] = [];
    for (let i = 0; i < INPUTS; i++) {
      const at = i * RECORD;
      const [a, b, mxcsr] = [input.readBigUInt64LE(at), input.readBigUInt64LE(at + 8), input.readUInt32LE(at + 16)];
      const ours = row.ours(a, b, mxcsr);
      const trapped = (ours.flags & ~(mxcsr >>> 7) & 0x3f) !== 0 ? 1 : 0;
      const native = narrow.test(row.name) ? BigInt(output.readUInt32LE(at + 24)) : output.readBigUInt64LE(at + 24);
      const same =
        output.readUInt32LE(at + 16) === (mxcsr | ours.flags) &&
        output.readUInt32LE(at + 20) === trapped &&
        (trapped === 1 || native === ours.bits);
      if (!same)
        wrong.push(
          `${a.toString(16)} ${b.toString(16)} mxcsr ${mxcsr.toString(16)}: native ${native.toString(16)} mxcsr ${output.readUInt32LE(at + 16).toString(16)} trap ${output.readUInt32LE(at + 20)}, ours ${ours.bits.toString(16)} flags ${ours.flags.toString(16)}`,
        );
    }
    expect(wrong.slice(0, 10), `${wrong.length} of ${INPUTS} differ`).toEqual([]);
  });
});
