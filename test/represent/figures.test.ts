/** The figures of Squint's chapter, put together again from its text: order, subgraphs, epochs, groups and crash states. */
import { describe, expect, it } from "vitest";
import { groupBehaviours } from "../../src/engines/represent/index.ts";
import { keptSets, partNumber, type SmallRun, smallRun } from "./small-runs.ts";

const fieldsOf = ({ behaviours, names }: SmallRun) =>
  behaviours.end().map(({ stores }) => stores.map((store) => names[store]).join(" "));

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
    const { behaviours } = smallRun("X.A, !X.A, X.B, X.C, !X.B X.C");
    const pairs = [0, 1, 2].flatMap((a) => [0, 1, 2].filter((b) => behaviours.order.precedes(a, b)).map((b) => [a, b]));
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
  const behaviours = run.behaviours.end().filter(({ object }) => object === partNumber("X"));
  const groups = groupBehaviours(behaviours, run.behaviours.order);
  expect(groups.map(({ leader, members }) => [leader, ...members].map((one) => behaviours.indexOf(one)))).toEqual([
    [0, 1, 2],
  ]);
});

it("Figure 4.7: the crash states of the first epoch", () => {
  const run = smallRun(figure45);
  expect(keptSets(run, run.behaviours.end()[0]!.stores)).toEqual(["", "A", "AB", "AC", "ABC", "ABCD"]);
});

it("Listing 4.3: more order is represented by less, not the other way round", () => {
  const run = smallRun(`e1.K, e1.V, e1.F, !e1.K e1.V e1.F, e2.K, !e2.K, e2.V, e2.F, !e2.V e2.F`);
  const behaviours = run.behaviours.end();
  const groups = groupBehaviours(behaviours, run.behaviours.order);
  expect(groups.map(({ leader, members }) => [leader, ...members].map((one) => behaviours.indexOf(one)))).toEqual([
    [0, 1],
  ]);
  const reversed = smallRun(`e2.K, !e2.K, e2.V, e2.F, !e2.V e2.F, e1.K, e1.V, e1.F, !e1.K e1.V e1.F`);
  const [leading] = groupBehaviours(reversed.behaviours.end(), reversed.behaviours.order);
  expect(leading!.leader).toBe(reversed.behaviours.end()[1]);
});
