/** Squint's figures and listings as programs: the same order, subgraphs, epochs, groups and crash states as in its chapter. */
import { describe, expect, it } from "vitest";
import { type Behaviour, dotOf, type GroupedUpdates, pictureOf, svgOf } from "../../src/engines/index.ts";
import { compileGuest } from "../support/programs.ts";
import { pool, represented } from "./support.ts";

const flags = ["-O1", "-g", "-static"];

const fieldsOf = ({ parts }: GroupedUpdates, { fields }: Behaviour) =>
  fields.map((field) => `${parts.fieldName(field).type}.${parts.fieldName(field).field}`).join(" ");

/** Of each group, the fields of its behaviours, the representative's first. */
const groupsOf = (updates: GroupedUpdates) =>
  updates.groups.map(({ leader, members }) =>
    [leader, ...members].map(({ behaviour }) => fieldsOf(updates, behaviour)),
  );

describe("the figures", () => {
  const figures = compileGuest("represent/figures.c", flags);
  const shown = (run: string, show = "show", options = {}) => {
    const commands = { setup: [figures, "setup", pool], recover: [figures, show, pool] };
    const { plan, updates, statistics } = represented([figures, run, pool], commands, options);
    const states = plan.ends.map(({ stdout }) => stdout).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return { states, updates, statistics };
  };

  it("4.1 and 4.3: A is there before B and C", () => {
    const { states, updates } = shown("one-before-two");
    expect(states).toEqual(["", "A", "AB", "AC", "ABC"]);
    const { order } = updates;
    const pairs = [0, 1, 2].flatMap((a) => [0, 1, 2].filter((b) => order.precedes(a, b)).map((b) => [a, b]));
    expect(pairs).toEqual([
      [0, 1],
      [0, 2],
    ]);
  });
  it("4.1 with B and C on one line", () => {
    expect(shown("two-on-a-line", "show-near").states).toEqual(["", "A", "AB", "ABC"]);
  });
  it("4.4: a part of a part belongs to both, what is unrelated to itself", () => {
    expect(groupsOf(shown("parts").updates)).toEqual([
      ["outer.W outer.in.X outer.in.Y"],
      ["inner.X inner.Y"],
      ["unrelated.Z"],
    ]);
  });
  it("4.5 and 4.6: three epochs, one group led by the first", () => {
    const { updates, statistics } = shown("epochs");
    expect(groupsOf(updates)).toEqual([["abcd.A abcd.B abcd.C abcd.D", "abcd.A abcd.B abcd.C", "abcd.D"], ["other.Q"]]);
    expect([statistics.behaviours, statistics.groups]).toEqual([4, 2]);
  });
  it("4.7: the crash states of the first epoch", () => {
    expect(shown("epoch").states).toEqual(["", "A", "AB", "AC", "ABC", "ABCD"]);
    // The representatives of the longer run: those, and Q's.
    expect(shown("epochs", "show", { everyStatement: false }).states).toEqual(
      ["", "A", "AB", "AC", "ABC", "ABCD", "A2B2C2D", "A2B2C2DQ2", "A2B2C2D2Q2"], // biome-ignore format: one line
    );
  });
});

describe("pictures", () => {
  const figures = compileGuest("represent/figures.c", flags);
  const commands = { setup: [figures, "setup", pool], recover: [figures, "show", pool] };
  const { updates } = represented([figures, "epochs", pool], commands, { maxExecutions: 1 });
  it("have the groups of a type or a function", () => {
    expect(pictureOf(updates, undefined)).toHaveLength(2);
    expect(pictureOf(updates, "other").map(({ title }) => title)).toEqual(["group 2: other, 1 behaviour"]);
    expect(pictureOf(updates, "epochs")).toHaveLength(2);
    expect(pictureOf(updates, "elsewhere")).toEqual([]);
  });
  it("have an edge for what follows from nothing else", () => {
    const [first, second] = pictureOf(updates, "abcd")[0]!.graphs;
    expect(first).toEqual({
      title: "representative, 1 time",
      nodes: ["A", "B", "C", "D"].map((field, at) => ({ label: `abcd.${field}`, level: [0, 1, 1, 2][at] })),
      edges: [
        [0, 1],
        [0, 2],
        [1, 3],
        [2, 3],
      ],
    });
    expect(second!.edges).toEqual([
      [0, 1],
      [0, 2],
    ]);
  });
  it("are text", () => {
    const picture = pictureOf(updates, undefined);
    expect(dotOf(picture).match(/ -> /g)).toHaveLength(6);
    expect(dotOf(picture)).toContain('"0_0_0" [label="abcd.A"];');
    // A box for each store, and the ground.
    expect(svgOf(picture).match(/<rect /g)).toHaveLength(10);
    expect(svgOf([{ title: "<&>", graphs: [] }])).toContain("&lt;&amp;&gt;");
  });
});

describe("the listings", () => {
  const listings = compileGuest("represent/listings.c", flags);
  const tested = (run: string, check: string, options = {}) =>
    represented([listings, pool, run], { recover: [listings, pool, check] }, options);
  const found = (run: string, check: string, options = {}) =>
    tested(run, check, options)
      .plan.findings()
      .map(({ frames }) => frames[0]?.function);

  it("4.1: valid before key and value", () => {
    expect(found("insert", "torn")).toEqual(["insert"]);
    expect(found("safely", "torn")).toEqual([]);
  });
  it("4.2: the same mistake in replace, told at both places", () => {
    expect(found("replace", "torn")).toEqual(["insert", "replace"]);
    // Its representative alone tells one of them.
    expect(found("replace", "torn", { everyStatement: false })).toEqual(["replace"]);
  });
  it("4.2: gone, where the new entry refers to the old one and both are open", () => {
    expect(found("replace", "gone")).toEqual(["replace"]);
    expect(found("replace", "gone", { everyStatement: false })).toEqual(["replace"]);
    expect(found("replace", "gone", { everyStatement: false, linked: false })).toEqual([]);
  });
  it("4.3: insert stands for insert_ordered, not the other way round", () => {
    expect(found("ordered", "torn")).toEqual(["insert_ordered"]);
    const { updates } = tested("both", "torn");
    expect(updates.groups.map(({ members }) => members.length)).toEqual([1]);
    expect(found("both", "torn", { everyStatement: false })).toEqual(["insert"]);
    expect(found("both", "torn")).toEqual(["insert_ordered", "insert"]);
  });
});

it.each([
  ["-O0", []],
  ["-O2", ["fill"]],
])("a store that the compiler widens is torn: %s", (optimised, functions) => {
  const guest = compileGuest("represent/torn.c", [optimised, "-g", "-static"]);
  const { plan } = represented([guest, pool], { recover: [guest, pool, "check"] });
  expect(plan.findings().map(({ frames }) => frames[0]?.function)).toEqual(functions);
});
