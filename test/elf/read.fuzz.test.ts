/** Mutated ELF files: every reader either succeeds or throws an InputError, and always comes back. */
import { afterAll, expect, test } from "vitest";
import { below, InputError, next32, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import {
  readBuildId,
  readDebugLink,
  readDynamic,
  readElf,
  readNotes,
  readSections,
  readSymbols,
  sectionBytes,
} from "../../src/program/elf/index.ts";
import { bytesOf, openWorkshop } from "./compile.ts";
import { minimalElf } from "./minimal.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

const seed = Number(process.env.SEED ?? 1);
const ROUNDS = 4000;
const edges = [0, 1, 0x7f, 0x80, 0xff] as const;

/** Headers are hit more often than the rest: most of a file is code, which no reader looks at. */
function mutate(original: Uint8Array, random: RandomState): Uint8Array {
  const bytes = original.slice();
  const tables = [64, 1024, bytes.length];
  for (let count = 1 + below(random, 6); count > 0; count--) {
    const at = below(random, Math.min(bytes.length, pick(random, tables)));
    const inSections = bytes.length - 1 - below(random, Math.min(bytes.length, 3000));
    const place = below(random, 4) === 0 ? inSections : at;
    const width = pick(random, [1, 1, 2, 4, 8]);
    for (let i = place; i < Math.min(place + width, bytes.length); i++) {
      bytes[i] = below(random, 2) === 0 ? pick(random, edges) : next32(random) & 0xff;
    }
  }
  return below(random, 8) === 0 ? bytes.subarray(0, below(random, bytes.length)) : bytes;
}

function attempt(read: () => unknown): "read" | "refused" {
  try {
    read();
    return "read";
  } catch (error) {
    if (error instanceof InputError) return "refused";
    throw error;
  }
}

function readEverything(bytes: Uint8Array): "read" | "refused" {
  const outcome = attempt(() => readElf(bytes, "fuzzed"));
  attempt(() => {
    const elf = readElf(bytes, "fuzzed", "symbols");
    for (const read of [readDynamic, readNotes, readSections, readSymbols, readBuildId, readDebugLink]) {
      attempt(() => read(elf));
    }
    for (const section of readSections(elf)) attempt(() => sectionBytes(elf, section));
  });
  return outcome;
}

const source = '#include <stdio.h>\nint main(void) { return puts("x") < 0; }';
test.each([
  ["minimal", () => minimalElf()],
  ["dynamic", () => bytesOf(workshop.compile("gcc", "dynamic", source, ["-g"]))],
  ["stripped", () => bytesOf(workshop.compile("gcc", "stripped", source, ["-s"]))],
])(`mutations of a %s program (seed ${seed})`, (_name, original) => {
  const random = seedRandom(seed);
  const bytes = original();
  const outcomes = { read: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const mutant = mutate(bytes, random);
    try {
      outcomes[readEverything(mutant)]++;
    } catch (error) {
      throw new Error(`seed ${seed}, round ${round}: only an InputError may escape`, { cause: error });
    }
  }
  expect(outcomes.read).toBeGreaterThan(0);
  expect(outcomes.refused).toBeGreaterThan(0);
});
