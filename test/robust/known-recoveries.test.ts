/** Recoveries by what they read, against their ways written down one by one. */
import { expect, it } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { KnownRecoveries } from "../../src/exploration/persist-order/index.ts";

const lines = 6;
const contents = 3;

/** Which line is read next follows from what was read; some ways are short. */
function wayOn(point: number, state: readonly number[]): readonly number[] {
  const read: number[] = [];
  let seen = point + 1;
  for (let step = 0; step < 2 * lines && seen % 5 !== 0; step++) {
    const line = (seen * 7 + step) % lines;
    if (!read.includes(line)) read.push(line);
    seen = (seen * 31 + 11 * state[line]! + step) % 997;
  }
  return read;
}

it.each([1, 2, 3])("random states, seed %d", (seed) => {
  const random = seedRandom(seed);
  const known = new KnownRecoveries<string>(1000);
  const ways = new Set<string>();
  let again = 0;
  for (let run = 0; run < 2000; run++) {
    const point = below(random, 4);
    // The last content is all there is, and is not told.
    const state = Array.from({ length: lines }, () => below(random, contents));
    const held = state.flatMap((content, line) => (content === contents - 1 ? [] : [[line, content] as const]));
    const read = wayOn(point, state);
    const way = `${point}: ${read.map((line) => `${line}=${state[line]}`)}`;
    expect(known.find(point, held)?.told).toBe(ways.has(way) ? way : undefined);
    if (ways.has(way)) again++;
    else known.add(point, { held, lines: read, told: way });
    ways.add(way);
  }
  expect(ways.size).toBeGreaterThan(20);
  expect(again).toBeGreaterThan(1000);
});

it("keeps no more than it has room for", () => {
  const known = new KnownRecoveries<string>(1);
  known.add(0, { held: [], lines: [1], told: "whole" });
  known.add(0, { held: [[1, 4]], lines: [1], told: "less" });
  expect(known.find(0, [])?.told).toBe("whole");
  expect(known.find(0, [[1, 4]])).toBeUndefined();
  expect(known.nearest(0, [[1, 4]])?.told).toBe("whole");
});
