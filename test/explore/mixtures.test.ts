/**
 * What only exploration finds: records that recovery fails on in one mixture of cuts, which crash injection at every store
 * passes; and their twins, which persist the data before what makes it count. The tests take two of each
 * class; SEEDED=all takes them all, and holds them against every crash state one by one and Jaaru's way.
 */
import { describe, expect, it } from "vitest";
import { compileGuest } from "../support/programs.ts";
import { expectSlowTwins, explored, injected, isWhole, pool } from "./support.ts";

const guest = compileGuest("explore/mixtures.c", ["-O1", "-g", "-static"]);
const scene = (how: string, number: number) => {
  const of = (what: string) => [guest, what, pool, `${number}`];
  return explored(of(how), { setup: of("setup"), recover: of("recover") });
};

describe.each([
  ["a cut inside one line, another lost, a third kept", ["slot", "header", "footer", "pair", "state"], 0],
  ["exactly two of at least four lines", ["parity", "mirrors", "links", "votes", "marks"], 5],
  ["three lines and more", ["copies", "parities", "majority", "levels", "halves"], 10],
] as const)("%s", (_class, names, first) => {
  const cases = names.map((name, i) => [name, first + i] as const);
  it.each(isWhole ? cases : cases.slice(-2))("%s", (_name, number) => {
    const seeded = scene("run", number);
    expect(injected(seeded.scene).findings()).toEqual([]);
    expect(seeded.plan.findings()).toHaveLength(1);
    const ordered = scene("ordered", number);
    expect(ordered.plan.findings()).toEqual([]);
    if (isWhole) for (const each of [seeded, ordered]) expectSlowTwins(each);
  });
});
