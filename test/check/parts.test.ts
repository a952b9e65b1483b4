/** Small parts: delta debugging, mappings, commands in words. */
import { describe, expect, it } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { smallestFailing } from "../../src/crash/states/index.ts";
import { Mappings } from "../../src/model/pmem/index.ts";
import { splitCommand } from "../../src/session/subject/index.ts";

describe("delta debugging", () => {
  it("finds what failure needs, and nothing else", () => {
    for (let seed = 0; seed < 50; seed++) {
      const random = seedRandom(seed);
      const items = [...Array(1 + below(random, 20)).keys()];
      const needed = items.filter(() => below(random, 4) === 0);
      const fails = (part: readonly number[]) => needed.every((item) => part.includes(item));
      expect(smallestFailing(items, fails), `seed ${seed}`).toEqual(needed);
    }
  });
});

describe("mappings", () => {
  it("tell the file at an address, also after a hole was made", () => {
    const mappings = new Mappings();
    expect(mappings.map("/a", 0x1000, 0x3000, 0x1000)).toEqual({ file: 0, fresh: true });
    expect(mappings.map("/a", 0x9000, 0x1000, 0)).toEqual({ file: 0, fresh: false });
    mappings.unmap(0x2000, 0x1000);
    expect(mappings.at(0x1fff)).toEqual({ file: 0, offset: 0x1fff });
    expect(mappings.at(0x2000)).toBeUndefined();
    expect(mappings.at(0x3008)).toEqual({ file: 0, offset: 0x3008 });
    expect([...mappings.within(0, 0x10000)].map(({ from, to }) => [from, to])).toEqual([
      [0x1000, 0x2000],
      [0x3000, 0x4000],
      [0, 0x1000],
    ]);
  });
});

it("commands are parted as a shell would", () => {
  expect(splitCommand(`./a  'b c' d"e f"g`)).toEqual(["./a", "b c", "de fg"]);
  expect(() => splitCommand("  ")).toThrow("needs a program");
});
