/**
 * A proof as a file, and how it is checked: without the theory of order and without what made it. Always:
 * - Each lemma is held against the graph by plain search: its opposite would be an order that the graph forbids.
 * - With the lemmas as clauses, the formula has no solution, and a solver that knows nothing of orders says so.
 */
import * as v from "valibot";
import { InputError } from "../../../base/index.ts";
import { allowsOrder, type FromRead, type OrderProblem, type StartSolver } from "../../../smt/index.ts";
import type { Refutation } from "../solve/ask.ts";

const whole = v.pipe(v.number(), v.integer());
const node = v.pipe(whole, v.minValue(0));
const edge = v.object({ from: node, to: node, because: v.array(whole) });

const graphShape = v.object({
  nodes: node,
  pieces: node,
  edges: v.array(edge),
  reads: v.array(v.object({ reader: node, piece: node, literal: whole })),
  orders: v.array(v.object({ piece: node, later: node, literal: whole })),
  /** Where a reader need not come before a store that overwrites what it read: it cannot read so, or it does not matter. */
  impossible: v.array(v.tuple([node, node])),
  nothing: v.array(v.tuple([node, node])),
  steps: v.array(edge),
  seen: v.optional(node),
  unseen: v.array(v.object({ node, literal: whole })),
});

const refutationShape = v.object({
  formula: v.string(),
  atoms: v.array(v.string()),
  graph: graphShape,
  lemmas: v.array(v.array(whole)),
});

const claimShape = v.object({
  /** What cannot happen, in words. */
  claim: v.string(),
  platform: v.string(),
  encoding: v.string(),
  program: v.array(v.string()),
  refutations: v.array(refutationShape),
});

const proofShape = v.object({ blackoutProof: v.literal(1), claims: v.array(claimShape) });

export type Proof = v.InferOutput<typeof proofShape>;
export type Claim = v.InferOutput<typeof claimShape>;
type Graph = v.InferOutput<typeof graphShape>;

function graphOf({ nodes, pieces, edges, reads, orders, fromRead, steps, seen, unseen }: OrderProblem): Graph {
  const related = (wanted: FromRead) => {
    const pairs = new Map<string, [number, number]>();
    for (const { reader, piece } of reads)
      for (const { piece: overwritten, later } of orders)
        if (overwritten === piece && later !== reader && fromRead(reader, later) === wanted)
          pairs.set(`${reader} ${later}`, [reader, later]);
    return [...pairs.values()];
  };
  const copied = (list: OrderProblem["edges"]) =>
    list.map(({ from, to, because }) => ({ from, to, because: [...because] }));
  return {
    ...{ nodes, pieces, edges: copied(edges), reads: [...reads], orders: [...orders] },
    ...{ impossible: related("impossible"), nothing: related("nothing") },
    ...{ steps: copied(steps), unseen: [...unseen], ...(seen !== undefined && { seen }) },
  };
}

export const refutationText = ({ formula, atoms, problem, lemmas }: Refutation): Claim["refutations"][number] => ({
  formula,
  atoms: [...atoms],
  graph: graphOf(problem),
  lemmas: lemmas.map((lemma) => [...lemma]),
});

function problemOf({ impossible, nothing, seen, ...graph }: Graph, atoms: number): OrderProblem {
  const relations = new Map<string, FromRead>([
    ...impossible.map(([reader, store]) => [`${reader} ${store}`, "impossible"] as const),
    ...nothing.map(([reader, store]) => [`${reader} ${store}`, "nothing"] as const),
  ]);
  const fromRead = (reader: number, store: number) => relations.get(`${reader} ${store}`) ?? "edge";
  return { ...graph, atoms, fromRead, ...(seen !== undefined && { seen }) };
}

/** Every node that is named is one of the graph's, every literal one of the atoms'. */
function isWhole({ graph, atoms, lemmas }: Claim["refutations"][number]): boolean {
  const { edges, reads, orders, steps, seen, unseen, nodes, pieces } = graph;
  const named = [
    ...[...edges, ...steps].flatMap(({ from, to }) => [from, to]),
    ...reads.map(({ reader }) => reader),
    ...orders.map(({ later }) => later),
    ...unseen.map(({ node: each }) => each),
    ...(seen === undefined ? [] : [seen]),
  ];
  return (
    named.every((each) => each < nodes) &&
    [...reads, ...orders].every(({ piece }) => piece < pieces) &&
    lemmas.flat().every((literal) => literal !== 0 && Math.abs(literal) <= atoms.length)
  );
}

export function readProof(file: string, text: string): Proof {
  try {
    const proof = v.parse(proofShape, JSON.parse(text));
    if (proof.claims.every(({ refutations }) => refutations.every(isWhole))) return proof;
    throw new Error("something is named that is not there");
  } catch {
    throw new InputError("prove/no-proof", `${file} is no proof that blackout prove --proof wrote.`, { file });
  }
}

/** Undefined when a claim's proof holds; else what is wrong with it. */
export function faultOf({ refutations }: Claim, start: StartSolver): string | undefined {
  if (refutations.length === 0) return "it has no refutation";
  for (const [index, { formula, atoms, graph, lemmas }] of refutations.entries()) {
    const where = refutations.length === 1 ? "" : ` of refutation ${index + 1}`;
    const problem = problemOf(graph, atoms.length);
    const wrong = lemmas.findIndex((lemma) =>
      allowsOrder(
        problem,
        lemma.map((literal) => -literal),
      ),
    );
    if (wrong >= 0) return `lemma ${wrong + 1}${where} does not follow from the graph`;
    const clauses = lemmas.map(
      (lemma) => `(assert (or ${lemma.map((literal) => nameOf(literal, atoms)).join(" ")} false))`,
    );
    const answer = answerTo([formula, ...clauses].join("\n"), start);
    if (answer !== "unsatisfiable") return `the formula${where} ${answer}`;
  }
  return undefined;
}

const nameOf = (literal: number, atoms: readonly string[]): string =>
  literal > 0 ? `${atoms[literal - 1]}` : `(not ${atoms[-literal - 1]})`;

function answerTo(text: string, start: StartSolver): string {
  const solver = start();
  try {
    if (!solver.read(text)) return "cannot be read";
    const answer = solver.check();
    return answer === "satisfiable" ? "has a solution" : answer;
  } finally {
    solver.dispose();
  }
}
