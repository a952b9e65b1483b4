/** Damaged debug information: symbolizer, type and variable readers answer something, never throw, and always come back. */
import { afterAll, expect, test } from "vitest";
import { below, next32, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import {
  createSymbolizer,
  createTypeReader,
  createVariableReader,
  readElf,
  readSections,
  readSymbols,
  type Section,
} from "../../src/program/elf/index.ts";
import { bytesOf, openWorkshop } from "./compile.ts";
import { cSubject } from "./subjects.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

const seed = Number(process.env.SEED ?? 1);
const ROUNDS = 300;

/** Beginnings are hit more often: headers and abbreviations decide how all the rest is read. */
function damage(original: Uint8Array, sections: readonly Section[], random: RandomState): Uint8Array {
  const bytes = original.slice();
  for (let count = 1 + below(random, 8); count > 0; count--) {
    const section = pick(random, sections);
    const reach = below(random, 2) === 0 ? Math.min(section.size, 64) : section.size;
    bytes[section.offset + below(random, reach)] = pick(random, [0, 1, 0x7f, 0x80, 0xff, next32(random) & 0xff]);
  }
  return bytes;
}

/** Registers and memory hold something everywhere. */
const frame = {
  bias: 0x5555_5555_4000n,
  register: (number: number) => BigInt(number) * 0x1001n,
  memory: (address: bigint, size: number) => BigInt.asUintN(8 * size, address * 3n),
  entryValue: () => 7n,
};

test.each(["-gdwarf-5", "-gdwarf-4"])(`%s, damaged (seed ${seed})`, (version) => {
  const random = seedRandom(seed);
  const path = workshop.compile("gcc", `subject${version}`, cSubject, ["-O2", version]);
  const original = bytesOf(path);
  const elf = readElf(original, path);
  const sections = readSections(elf).filter(({ name, size }) => /^\.(debug_|eh_frame$)/.test(name) && size > 0);
  const functions = readSymbols(elf).filter(({ name }) => /^(main|push|compare|fail)$/.test(name));
  const addresses = functions.flatMap(({ value, size }) => [value, value + (size >> 1), value + size - 1]);
  const outcomes = { whole: 0, problem: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const damaged = readElf(damage(original, sections, random), path);
    const symbolizer = createSymbolizer(damaged);
    const types = createTypeReader(damaged);
    const variables = createVariableReader(damaged);
    try {
      for (const address of addresses) {
        symbolizer.frames(address);
        symbolizer.functionAt(address);
        variables.unwind(address, frame)?.(3);
        for (const variable of variables.at(address)) variables.locate(variable, address, frame);
        variables.callValue(address, Uint8Array.of(0x55), frame);
      }
      variables.globals();
      for (const name of ["node", "list_t", "point"]) {
        const id = types.find(name);
        if (id === undefined) continue;
        types.spell(id);
        types.sizeOf(id);
        types.memberAt(id, 17);
      }
    } catch (error) {
      throw new Error(`seed ${seed}, round ${round}: nothing may escape`, { cause: error });
    }
    outcomes[symbolizer.problem === undefined ? "whole" : "problem"]++;
  }
  expect(outcomes.whole).toBeGreaterThan(0);
  expect(outcomes.problem).toBeGreaterThan(0);
});
