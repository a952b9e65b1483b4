/** Assembles x86-64 text with the system assembler and returns the machine code, for tests that run hand-written code. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function assemble(text: string, address = 0): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "blackout-as-"));
  try {
    const file = (name: string) => join(folder, name);
    writeFileSync(file("a.s"), `.intel_syntax noprefix\n.text\n.globl _start\n_start:\n${text}\n`);
    execFileSync("as", ["--64", "-o", file("a.o"), file("a.s")]);
    execFileSync("ld", [
      "-Ttext",
      `0x${address.toString(16)}`,
      "--oformat",
      "binary",
      "-o",
      file("a.bin"),
      file("a.o"),
    ]);
    return new Uint8Array(readFileSync(file("a.bin")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
