/** Nothing but the collector gives back the memory of machines that are gone, and it does not count it. */
import { expect, test } from "vitest";
import { layout } from "../runtime/index.ts";
import { GuestMemory } from "./memory.ts";

const machines = 80;
const used = 16 << 20;

test("the memory of machines that are gone is given back", () => {
  const before = process.memoryUsage.rss();
  let most = 0;
  for (let made = 0; made < machines; made++) {
    new GuestMemory().bytes.fill(1, layout.guestStart, layout.guestStart + used);
    most = Math.max(most, process.memoryUsage.rss() - before);
  }
  expect(most).toBeLessThan((machines * used) / 2);
});
