import { expect, test } from "vitest";
import { below, next32, seedRandom } from "../../base/index.ts";
import { perfectHash } from "./perfect-hash.ts";

test("every address has an entry of its own, and all others are empty", () => {
  const random = seedRandom(7);
  for (let round = 0; round < 200; round++) {
    const addresses = [...new Set(Array.from({ length: 4 + below(random, 60) }, () => next32(random) >>> 0))];
    const { multiplier, shift, entries } = perfectHash(addresses);
    for (const [i, address] of addresses.entries()) expect(entries[Math.imul(address, multiplier) >>> shift]).toBe(i);
    expect(entries.length).toBe(2 ** (32 - shift));
    expect(entries.filter((entry) => entry !== undefined).length).toBe(addresses.length);
  }
});
