/** The figures of Squint's chapter, put together again from its text: order, subgraphs, epochs, groups and crash states. */
import { describe, expect, it } from "vitest";
import { groupNumbers, keptSets, partNumber, type SmallRun, smallRun } from "./small-runs.ts";

const fieldsOf = ({ ended, names }: SmallRun) =>
  ended.map(({ stores }) => stores.map((store) => names[store]).join(" "));

describe("the order", () => {
  it("Figure 4.1: what is durable before others are stored", () => {
    const run = smallRun("X.A, !X.A, X.B, X.C, !X.B X.C");
    expect(keptSets(run, [0, 1, 2])).toEqual(["", "A", "AB", "AC", "ABC"]);
  });

  it("Figure 4.1 with B and C in one line", () => {
    const run = smallRun("X.A, !X.A, X.B, X.C, !X.B X.C", { shared: ["X.B", "X.C"] });
    expect(keptSets(run, [0, 1, 2])).toEqual(["", "A", "AB", "ABC"]);
  });

  it("Figure 4.3: A before B and C, and nothing else", () => {
    const { order } = smallRun("X.A, !X.A, X.B, X.C, !X.B X.C");
    const pairs = [0, 1, 2].flatMap((a) => [0, 1, 2].filter((b) => order.precedes(a, b)).map((b) => [a, b]));
    expect(pairs).toEqual([
      [0, 1],
      [0, 2],
    ]);
  });
});

it("Figure 4.4: a part of a part belongs to both, what is unrelated to itself", () => {
  const part = (object: string, field: string) => ({ object: partNumber(object), field: partNumber(field) });
  const partsOf = (name: string) => {
    if (name === "Z") return [part("unrelated", "unrelated.Z")];
    if (!name.startsWith("in.")) return [part("outer", `outer.${name}`)];
    return [part("inner", `inner.${name}`), part("outer", `outer.${name}`)];
  };
  const run = smallRun("W, in.X, in.Y, Z, !W in.X in.Y Z", { partsOf });
  expect(fieldsOf(run)).toEqual(["W in.X in.Y", "in.X in.Y", "Z"]);
});

/** A, then B and C, then D, all durable; A again, B and C; then Y.Q; then D. */
const figure45 = `
  X.A, !X.A, X.B, X.C, !X.B X.C, X.D, !X.D,
  X.A, !X.A, X.B, X.C, !X.B X.C,
  Y.Q, !Y.Q,
  X.D, !X.D`;

it("Figure 4.5: a repeated field cuts, and so does a store elsewhere", () => {
  expect(fieldsOf(smallRun(figure45))).toEqual(["X.A X.B X.C X.D", "X.A X.B X.C", "Y.Q", "X.D"]);
  const without = figure45.replace("Y.Q, !Y.Q,", "");
  expect(fieldsOf(smallRun(without))).toEqual(["X.A X.B X.C X.D", "X.A X.B X.C X.D"]);
});

it("Figure 4.6: the first epoch stands for the others", () => {
  const run = smallRun(figure45);
  const behaviours = run.ended.filter(({ objects }) => objects[0] === partNumber("X"));
  expect(groupNumbers(behaviours, run.order)).toEqual([[0, 1, 2]]);
});

it("Figure 4.7: the crash states of the first epoch", () => {
  const run = smallRun(figure45);
  expect(keptSets(run, run.ended[0]!.stores)).toEqual(["", "A", "AB", "AC", "ABC", "ABCD"]);
});

it("Listing 4.3: more order is represented by less, not the other way round", () => {
  const run = smallRun(`e1.K, e1.V, e1.F, !e1.K e1.V e1.F, e2.K, !e2.K, e2.V, e2.F, !e2.V e2.F`);
  expect(groupNumbers(run.ended, run.order)).toEqual([[0, 1]]);
  const reversed = smallRun(`e2.K, !e2.K, e2.V, e2.F, !e2.V e2.F, e1.K, e1.V, e1.F, !e1.K e1.V e1.F`);
  expect(groupNumbers(reversed.ended, reversed.order)).toEqual([[1, 0]]);
});

describe("linked objects", () => {
  const links = { "list.head": "n1", "n1.next": "n2" };
  it("are one behaviour while both are open", () => {
    expect(fieldsOf(smallRun("n1.K, list.head, !n1.K list.head", { links }))).toEqual(["n1.K list.head"]);
    expect(fieldsOf(smallRun("n1.K, list.head, !n1.K list.head"))).toEqual(["n1.K", "list.head"]);
  });
  it("are one when what is referred to is stored to afterwards", () => {
    expect(fieldsOf(smallRun("list.head, n1.K, !n1.K list.head", { links }))).toEqual(["list.head n1.K"]);
  });
  it("are two when one was durable before the other", () => {
    expect(fieldsOf(smallRun("n1.K, !n1.K, list.head, !list.head", { links }))).toEqual(["n1.K", "list.head"]);
    expect(fieldsOf(smallRun("list.head, !list.head, n1.K, !n1.K", { links }))).toEqual(["list.head", "n1.K"]);
  });
  it("are one in a chain", () => {
    const chain = "n2.K, n1.K, n1.next, list.head, !n1.K n2.K n1.next list.head";
    expect(fieldsOf(smallRun(chain, { links }))).toEqual(["n2.K n1.K n1.next list.head"]);
  });
});
