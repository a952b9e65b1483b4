/** Programs that cannot be loaded: one sentence for the user, whatever is wrong with the file. */
import { describe, expect, test } from "vitest";
import { bootKernel, tinyElf } from "../../../test/kernel/harness.ts";
import { below, InputError, pick, seedRandom } from "../../base/index.ts";
import { GuestMemory } from "../memory/index.ts";

/** The tiny program with a PT_INTERP in place of its second segment. */
function withInterpreter(name: string): Uint8Array {
  const bytes = tinyElf();
  const view = new DataView(bytes.buffer);
  view.setUint32(64 + 56, 3, true);
  view.setBigUint64(64 + 56 + 8, 0x200n, true);
  view.setBigUint64(64 + 56 + 32, BigInt(name.length + 1), true);
  view.setBigUint64(64 + 56 + 40, BigInt(name.length + 1), true);
  bytes.set(new TextEncoder().encode(`${name}\0`), 0x200);
  return bytes;
}

const failure = (boot: () => unknown): string => {
  try {
    boot();
  } catch (error) {
    if (error instanceof InputError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "loaded";
};

describe("the user's mistakes", () => {
  const boot = (entries: Parameters<typeof bootKernel>[1], path = "/program", mode = 0o755) =>
    failure(() => bootKernel(new GuestMemory(), entries, path, mode));

  test("files that are no programs", () => {
    expect(boot({}, "/nowhere")).toMatch(/program\/unreadable: \/nowhere does not exist/);
    expect(boot({ "/program": { directory: true } })).toMatch(/program\/directory: .* is a directory/);
    expect(boot({ "/program": tinyElf() }, "/program", 0o644)).toMatch(/program\/not-executable: .*chmod \+x/);
    expect(boot({ "/program": tinyElf() }, "/program/x")).toMatch(/program\/unreadable: .*not a directory/);
    expect(boot({ "/program": "#!/bin/sh\n" })).toMatch(/elf\/script/);
    expect(boot({ "/program": "" })).toMatch(/elf\/empty/);
    expect(boot({ "/program": tinyElf() })).toBe("loaded");
  });

  test("dynamic linkers that are missing or no good", () => {
    const program = withInterpreter("/lib/ld.so");
    expect(boot({ "/program": program })).toMatch(/program\/missing-interpreter: .*\/lib\/ld.so, which does not exist/);
    expect(boot({ "/program": program, "/lib/ld.so": program })).toMatch(/program\/nested-interpreter/);
    expect(boot({ "/program": program, "/lib/ld.so": "text" })).toMatch(/elf\/not-elf: \/lib\/ld.so/);
  });

  test("addresses the machine does not have", () => {
    const high = tinyElf();
    new DataView(high.buffer).setBigUint64(64 + 16, 0x7000_0000_0000n, true);
    expect(boot({ "/program": high })).toMatch(/program\/does-not-fit: .*0x700000000000/);
  });
});

const seed = 99;
test(`mutated programs load or are refused, nothing else (seed ${seed})`, () => {
  const random = seedRandom(seed);
  const memory = new GuestMemory();
  const blank = memory.snapshot();
  const seen = new Map<string, number>();
  for (let round = 0; round < 400; round++) {
    const bytes = pick(random, [tinyElf, () => withInterpreter("/lib/ld.so")])();
    for (let change = below(random, 4); change >= 0; change--) {
      bytes[below(random, 64 + 2 * 56)] = pick(random, [0, 1, 0x7f, 0x80, 0xff, below(random, 256)]);
    }
    const entries = { "/program": bytes, "/lib/ld.so": tinyElf() };
    const code = failure(() => bootKernel(memory, entries, "/program", 0o755)).split(":")[0]!;
    seen.set(code, (seen.get(code) ?? 0) + 1);
    memory.restore(blank);
  }
  expect(seen.get("loaded")).toBeGreaterThan(20);
  expect(seen.size).toBeGreaterThan(5);
});
