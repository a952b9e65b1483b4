/**
 * Runs x87 instructions on the processor: a generated C program loads a whole unit state with FXRSTOR, runs one
 * instruction and saves the state with FXSAVE, so everything a program could see is compared. #MF is caught as SIGFPE.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Encoding } from "./encodings.ts";

export const IMAGE = 160;
const RECORD = 2 * IMAGE + 32;

export interface Case {
  /** The x87 part of an FXSAVE image. */
  readonly image: Buffer;
  readonly memory: Buffer;
  readonly rflags: bigint;
  readonly rax: bigint;
  readonly register: number;
}

export interface Outcome {
  readonly image: Buffer;
  readonly memory: Buffer;
  readonly rflags: bigint;
  readonly rax: bigint;
  readonly trapped: boolean;
}

const registers = (row: Encoding): number[] => (row.register ? [0, 1, 2, 3, 4, 5, 6, 7] : [0]);
const encoded = (row: Encoding, register: number): string =>
  row.bytes.map((byte, at) => byte + (row.register && at === row.bytes.length - 1 ? register : 0)).join(", ");

const source = (rows: readonly Encoding[]): string => `
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
typedef struct { uint8_t image[${IMAGE}], memory[${IMAGE}]; uint64_t rflags, rax, trapped, index; } record;
_Alignas(64) uint8_t image[512], memory[512], saved[512], normal[512];
uint64_t rflags, rax;
static sigjmp_buf back;
static void onfault(int n, siginfo_t *i, void *c) {
  memcpy(image, ((ucontext_t *)c)->uc_mcontext.fpregs, ${IMAGE});
  siglongjmp(back, 1);
}
#define RUN(name, ...) static void name(void) { __asm__ volatile( \\
  "lea memory(%%rip), %%rdi\\n push rflags(%%rip)\\n mov rax(%%rip), %%rax\\n fxrstor64 image(%%rip)\\n popfq\\n" \\
  ".byte " #__VA_ARGS__ "\\n pushfq\\n fxsave64 image(%%rip)\\n pop rflags(%%rip)\\n mov %%rax, rax(%%rip)\\n" \\
  : : : "rax", "rdi", "memory", "cc"); }
${rows.flatMap((row, i) => registers(row).map((r) => `RUN(op${i}_${r}, ${encoded(row, r)})`)).join("\n")}
static void (*const ops[][8])(void) = {
${rows
  .map(
    (row, i) =>
      `  { ${registers(row)
        .map((r) => `op${i}_${r}`)
        .join(", ")} },`,
  )
  .join("\n")}
};
int main(int argc, char **argv) {
  struct sigaction s = { .sa_sigaction = onfault, .sa_flags = SA_SIGINFO | SA_NODEFER };
  sigaction(SIGFPE, &s, 0);
  record r;
  __asm__ volatile("fxsave64 normal(%%rip)" : : : "memory");
  while (fread(&r, sizeof r, 1, stdin) == 1) {
    memset(image, 0, sizeof image); memcpy(image, r.image, ${IMAGE});
    memset(memory, 0, sizeof memory); memcpy(memory, r.memory, ${IMAGE});
    rflags = r.rflags; rax = r.rax;
    r.trapped = sigsetjmp(back, 1);
    if (!r.trapped) ops[atoi(argv[1])][r.index]();
    __asm__ volatile("fxrstor64 normal(%%rip)" : : : "memory");
    memcpy(r.image, image, ${IMAGE}); memcpy(r.memory, memory, ${IMAGE});
    r.rflags = rflags; r.rax = rax;
    fwrite(&r, sizeof r, 1, stdout);
  }
}`;

export class NativeUnit {
  readonly #folder: string;
  readonly #rows: readonly Encoding[];

  constructor(rows: readonly Encoding[]) {
    this.#rows = rows;
    this.#folder = mkdtempSync(join(tmpdir(), "blackout-x87-"));
    const file = join(this.#folder, "x87.c");
    writeFileSync(file, source(rows));
    execFileSync("gcc", ["-O1", "-w", "-no-pie", "-mno-red-zone", "-o", join(this.#folder, "x87"), file]);
  }

  run(row: Encoding, cases: readonly Case[]): Outcome[] {
    const input = Buffer.alloc(RECORD * cases.length);
    cases.forEach((one, i) => {
      const at = i * RECORD;
      one.image.copy(input, at);
      one.memory.copy(input, at + IMAGE);
      input.writeBigUInt64LE(one.rflags, at + 2 * IMAGE);
      input.writeBigUInt64LE(one.rax, at + 2 * IMAGE + 8);
      input.writeBigUInt64LE(BigInt(one.register), at + 2 * IMAGE + 24);
    });
    const output = execFileSync(join(this.#folder, "x87"), [String(this.#rows.indexOf(row))], {
      input,
      maxBuffer: 1 << 30,
    });
    return cases.map((_, i) => {
      const at = i * RECORD;
      return {
        image: output.subarray(at, at + IMAGE),
        memory: output.subarray(at + IMAGE, at + 2 * IMAGE),
        rflags: output.readBigUInt64LE(at + 2 * IMAGE),
        rax: output.readBigUInt64LE(at + 2 * IMAGE + 8),
        trapped: output.readBigUInt64LE(at + 2 * IMAGE + 16) !== 0n,
      };
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
