/** The theory of order against a search through the whole graph, on random problems and random ways through them. */
import { describe, expect, test } from "vitest";
import { below, pick, type RandomState, seedRandom } from "../../base/index.ts";
import type { Literal } from "../theory.ts";
import { AcyclicGraph } from "./acyclic.ts";
import { OrderTheory } from "./order-theory.ts";
import { allowsOrder } from "./plain.ts";
import type { FromRead, GuardedEdge, OrderProblem } from "./problem.ts";

const SEED = 41;

function randomProblem(random: RandomState): OrderProblem {
  const nodes = 4 + below(random, 9);
  const atoms = 4 + below(random, 20);
  const literal = (): Literal => (1 + below(random, atoms)) * (below(random, 3) === 0 ? -1 : 1);
  const node = () => below(random, nodes);
  const some = <Item>(most: number, make: () => Item): Item[] =>
    Array.from({ length: below(random, most + 1) }, () => make());
  const guarded = (): GuardedEdge => ({
    from: node(),
    to: node(),
    because: some(2, literal).concat(below(random, 3) === 0 ? [0] : literal()),
  });
  // Edges that always hold go one way, so that they alone are no cycle.
  const fixed = some(nodes, () => [node(), node()].sort((a, b) => a - b) as [number, number])
    .filter(([from, to]) => from !== to)
    .map(([from, to]): GuardedEdge => ({ from, to, because: [] }));
  const relations = Array.from({ length: nodes * nodes }, () =>
    pick(random, ["edge", "edge", "edge", "nothing", "impossible"] as const satisfies readonly FromRead[]),
  );
  const seen = nodes - 1;
  const pieces = nodes + below(random, 4);
  const piece = () => below(random, pieces);
  return {
    atoms,
    nodes,
    pieces,
    edges: [...fixed, ...some(2 * nodes, guarded).filter(({ because }) => because.some((each) => each !== 0))],
    reads: some(nodes, () => ({ reader: node(), piece: piece(), literal: literal() })),
    orders: some(nodes, () => ({ piece: piece(), later: node(), literal: below(random, 6) === 0 ? 0 : literal() })),
    fromRead: (reader, store) => relations[reader * nodes + store]!,
    steps: [...fixed, ...some(nodes, guarded)],
    ...(below(random, 3) > 0 && { seen }),
    unseen: some(2, () => ({ node: below(random, seen), literal: literal() })),
  };
}

/** Decides at random, goes back at random and after contradictions, and looks at everything that is said. */
function walk(problem: OrderProblem, random: RandomState, eager: boolean) {
  const theory = new OrderTheory(problem, { eager });
  const levels: Literal[][] = [[]];
  const counts = { contradictions: 0, forced: 0 };
  const held = () => levels.flat();
  const back = (count: number) => {
    theory.pop(count);
    levels.length -= count;
  };
  const listen = (): boolean => {
    let contradicted = false;
    for (let said = theory.next(); said !== undefined; said = theory.next()) {
      const known = new Set(held());
      expect(said.because.every((literal) => known.has(literal))).toBe(true);
      const opposite = said.implied === 0 ? [] : [-said.implied];
      expect(allowsOrder(problem, [...said.because, ...opposite])).toBe(false);
      if (said.implied === 0) contradicted = true;
      else counts.forced++;
    }
    expect(contradicted).toBe(!allowsOrder(problem, held()));
    return contradicted;
  };
  if (listen()) return counts;
  for (let step = 0; step < 60; step++) {
    const free = Array.from({ length: problem.atoms }, (_, index) => index + 1).filter(
      (atom) => !held().some((literal) => Math.abs(literal) === atom),
    );
    if (levels.length > 1 && (free.length === 0 || below(random, 6) === 0)) back(1 + below(random, levels.length - 1));
    else if (free.length > 0) {
      theory.push();
      const literal = pick(random, free) * (below(random, 3) === 0 ? -1 : 1);
      levels.push([literal]);
      theory.assign(literal);
      if (!listen()) continue;
      counts.contradictions++;
      back(1);
      listen();
    }
  }
  return counts;
}

describe(`random problems (seed ${SEED})`, () => {
  test.each([true, false])("everything that is said follows, and every contradiction is found (eager: %s)", (eager) => {
    const random = seedRandom(SEED);
    const sums = { contradictions: 0, forced: 0 };
    for (let round = 0; round < 300; round++) {
      const { contradictions, forced } = walk(randomProblem(random), random, eager);
      sums.contradictions += contradictions;
      sums.forced += forced;
    }
    expect(sums.contradictions).toBeGreaterThan(300);
    expect(sums.forced).toBeGreaterThan(eager ? 200 : 20);
  });

  test("edges that come and go: refused exactly when they close a cycle", () => {
    const random = seedRandom(SEED + 1);
    let refused = 0;
    for (let round = 0; round < 100; round++) {
      const nodes = 2 + below(random, 40);
      const graph = new AcyclicGraph(nodes);
      const kept: [number, number][] = [];
      for (let step = 0; step < 150; step++) {
        if (below(random, 12) === 0) {
          kept.length = below(random, kept.length + 1);
          graph.shrinkTo(kept.length);
          continue;
        }
        const [from, to] = [below(random, nodes), below(random, nodes)];
        const edges = [...kept, [from, to] as [number, number]];
        const fits = allowsOrder(
          {
            atoms: 0,
            ...{ nodes, pieces: 0 },
            edges: edges.map(([start, end]) => ({ from: start, to: end, because: [] })),
            reads: [],
            orders: [],
            fromRead: () => "edge",
            steps: [],
            unseen: [],
          },
          [],
        );
        expect(graph.add(from, to)).toBe(fits);
        if (fits) kept.push([from, to]);
        else refused++;
      }
    }
    expect(refused).toBeGreaterThan(500);
  });
});

test("a contradiction names the fewest reasons", () => {
  const edge = (from: number, to: number, ...because: Literal[]): GuardedEdge => ({ from, to, because });
  const theory = new OrderTheory({
    ...{ atoms: 5, nodes: 4, pieces: 0 },
    // From 1 back to 0 there is a way of two edges with a reason each, and one of three edges with one reason in all.
    edges: [edge(1, 2, 1), edge(2, 0, 2), edge(1, 3), edge(3, 2), edge(2, 0, 3), edge(0, 1, 4)],
    reads: [],
    orders: [],
    fromRead: () => "edge",
    steps: [],
    unseen: [],
  });
  theory.push();
  for (const literal of [1, 2, 4]) theory.assign(literal);
  const said = [];
  for (let next = theory.next(); next !== undefined; next = theory.next()) said.push(next);
  expect(said.at(-1)).toEqual({ because: [4, 2], implied: 0 });
});

test("from-reads: a read and an order of stores give an edge, each support for itself", () => {
  const theory = new OrderTheory({
    ...{ atoms: 3, nodes: 3, pieces: 1 },
    edges: [{ from: 2, to: 1, because: [3] }],
    reads: [{ reader: 1, piece: 0, literal: 1 }],
    orders: [{ piece: 0, later: 2, literal: 2 }],
    fromRead: () => "edge",
    steps: [],
    unseen: [],
  });
  theory.push();
  for (const literal of [1, 2]) theory.assign(literal);
  expect(theory.next()).toEqual({ because: [1, 2], implied: -3 });
  theory.assign(3);
  theory.pop(1);
  theory.push();
  for (const literal of [2, 3]) theory.assign(literal);
  expect(theory.next()).toEqual({ because: [2, 3], implied: -1 });
});
