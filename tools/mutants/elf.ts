/** Damaged ELF programs in the machine: bytes changed at random, most of them where the headers are. */
import { readFileSync } from "node:fs";
import { below, InputError, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import { MemoryFiles } from "../../src/host/index.ts";
import { Machine } from "../../src/machine/index.ts";
import { buildGuest } from "../guests/build.ts";

const instructions = 30_000;
const limits = { instructions, memory: 2 ** 28, bytes: 2 ** 24, output: 2 ** 16, threads: 8 };

/** Small, so that headers are a good part of them. */
const originals = (): readonly Uint8Array[] => [
  readFileSync(buildGuest("programs/tiny.c", ["-Os", "-static", "-nostdlib"])),
  readFileSync(buildGuest("programs/tiny.c", ["-Os", "-static-pie", "-nostdlib", "-fpie"])),
];

const interesting = [0, 1, 0x7f, 0x80, 0xff, 0x40, 0x10];

function change(bytes: Uint8Array, random: RandomState): void {
  const near = below(random, 4) > 0;
  const at = below(random, near ? Math.min(bytes.length, 64 + 56 * 12) : bytes.length);
  const value = pick(random, [pick(random, interesting), below(random, 256), bytes[at]! ^ (1 << below(random, 8))]);
  bytes.fill(value, at, at + pick(random, [1, 1, 1, 2, 4, 8]));
}

export function mutant(seed: number): Uint8Array {
  const random = seedRandom(seed);
  let bytes = Uint8Array.from(pick(random, originals()));
  for (let changes = 1 + below(random, 6); changes > 0; changes--) change(bytes, random);
  if (below(random, 8) === 0) bytes = bytes.slice(0, below(random, bytes.length));
  return bytes;
}

/** How a damaged program ended; what it throws besides an InputError comes out. */
export function runMutant(seed: number): string {
  const host = new MemoryFiles({ "/mutant": mutant(seed) });
  host.chmod("/mutant", 0o755);
  const machine = new Machine({
    host,
    streams: { terminals: [false, false, false], readInput: () => new Uint8Array(), writeOutput: () => {} },
    workingDirectory: "/",
    limits,
    hotAfter: 0,
  });
  try {
    machine.load("/mutant", ["mutant"], []);
  } catch (error) {
    if (error instanceof InputError) return "refused";
    throw error;
  }
  const result = machine.run(instructions);
  return result.kind === "ended" ? result.outcome.kind : result.kind;
}
