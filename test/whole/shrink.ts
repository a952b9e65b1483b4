/** The shortest program that still fails in the same way: steps, rules and repairs are left out, and what is left is made plainer. */
import { rowsOf } from "./generate.ts";
import type { Node, Program } from "./program.ts";

/** Programs that are a little less than this one, the boldest first. */
export function* smaller(program: Program): Generator<Program> {
  const { rules, repairs, pools, nodes } = program;
  const sections = new Set(program.fields.map(({ section }) => section));
  if (sections.size > 1) for (const section of sections) yield withoutSection(program, section);
  for (const row of rowsOf(nodes)) {
    for (const [at, node] of row.entries()) {
      const replaced = (by: readonly Node[]): Program => ({ ...program, nodes: replaceIn(nodes, row, at, by) });
      if (node.kind !== "map" || node.how !== "first") yield replaced([]);
      if (node.kind === "block") {
        yield replaced(node.body);
        if (node.rounds > 1) yield replaced([{ ...node, rounds: node.rounds - 1 }]);
        if (node.how === "thread") yield replaced([{ ...node, how: "call" }]);
      } else if (node.kind === "parallel") yield replaced(node.bodies.flat());
      else yield* plainer(node).map((by) => replaced([by]));
    }
  }
  for (const at of rules.keys()) yield { ...program, rules: rules.filter((_, other) => other !== at) };
  for (const at of repairs.keys()) yield { ...program, repairs: repairs.filter((_, other) => other !== at) };
  for (const [at, rule] of rules.entries())
    if (rule.how !== "exit") yield { ...program, rules: rules.with(at, { ...rule, how: "exit" }) };
  for (const [at, pool] of pools.entries()) {
    if (pool.named !== "plain")
      yield { ...program, pools: pools.with(at, { ...pool, named: "plain" }), nodes: withoutPublish(nodes, at) };
    if (pool.made !== "run") yield { ...program, pools: pools.with(at, { ...pool, made: "run" }) };
  }
  if (pools.length > 1)
    yield {
      ...program,
      fields: program.fields.map((field) => ({ ...field, pool: 0 })),
      pools: pools.slice(0, 1),
      nodes: ofOnePool(nodes),
    };
  if (program.own !== "right") yield { ...program, own: "right" };
  if (program.isSplit) yield { ...program, isSplit: false };
  if (program.language === "c++") yield { ...program, language: "c" };
  const unused = unusedFields(program);
  if (unused.size > 0) yield withoutFields(program, unused);
}

/** The smallest that still fails. */
export async function shrink(program: Program, fails: (program: Program) => Promise<boolean>): Promise<Program> {
  let smallest = program;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smaller(smallest)) {
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function plainer(node: Exclude<Node, { kind: "block" | "parallel" }>): Node[] {
  const nodes: Node[] = [];
  if (node.joined === true) nodes.push({ ...node, joined: false });
  if (node.kind === "store" && node.via !== "direct") nodes.push({ ...node, via: "direct" });
  if (node.kind === "flush" && node.op !== "clwb") nodes.push({ ...node, op: "clwb" });
  if (node.kind === "fence" && node.op !== "sfence") nodes.push({ ...node, op: "sfence" });
  if (node.kind === "persist" && node.how !== "function") nodes.push({ ...node, how: "function" });
  if (node.kind === "acknowledge" && node.how !== "write") nodes.push({ ...node, how: "write" });
  return nodes;
}

function replaceIn(nodes: readonly Node[], row: readonly Node[], at: number, by: readonly Node[]): readonly Node[] {
  if (nodes === row) return [...row.slice(0, at), ...by, ...row.slice(at + 1)];
  return nodes.map((node) => {
    if (node.kind === "block") return { ...node, body: replaceIn(node.body, row, at, by) };
    if (node.kind === "parallel") return { ...node, bodies: node.bodies.map((body) => replaceIn(body, row, at, by)) };
    return node;
  });
}

/** The nodes that are kept, all the way down. */
const kept = (nodes: readonly Node[], keeps: (node: Node) => boolean): readonly Node[] =>
  nodes.filter(keeps).map((node) => {
    if (node.kind === "block") return { ...node, body: kept(node.body, keeps) };
    if (node.kind === "parallel") return { ...node, bodies: node.bodies.map((body) => kept(body, keeps)) };
    return node;
  });

const withoutPublish = (nodes: readonly Node[], pool: number): readonly Node[] =>
  kept(nodes, (node) => node.kind !== "publish" || node.pool !== pool);

function ofOnePool(nodes: readonly Node[]): readonly Node[] {
  let isMapped = false;
  return kept(nodes, (node) => {
    if (node.kind === "publish") return node.pool === 0;
    if (node.kind !== "map") return true;
    if (node.how !== "first") return node.pool === 0;
    const isFirst = !isMapped;
    isMapped = true;
    return isFirst;
  }).map((node) => (node.kind === "map" ? { ...node, pool: 0 } : node));
}

const fieldOf = (node: Node): number | undefined =>
  "word" in node ? node.word.field : node.kind === "fill" ? node.field : undefined;

function withoutSection(program: Program, section: number): Program {
  const isOf = (field: number) => program.fields[field]!.section === section;
  return {
    ...program,
    nodes: kept(program.nodes, (node) => {
      const field = fieldOf(node);
      return field === undefined || !isOf(field);
    }),
    rules: program.rules.filter((rule) => rule.section !== section),
    repairs: program.repairs.filter(({ set }) => !isOf(set.field)),
  };
}

function unusedFields({ fields, nodes, rules, repairs }: Program): ReadonlySet<number> {
  const unused = new Set(fields.keys());
  const words = [
    ...rules.flatMap(({ left, right, when }) => [left, right, when]),
    ...repairs.flatMap(({ when, set, to }) => [when, set, to]),
  ];
  for (const word of words) if (typeof word === "object") unused.delete(word.field);
  for (const row of rowsOf(nodes)) for (const node of row) unused.delete(fieldOf(node) ?? -1);
  return unused;
}

/** Their places are left free: numbers of fields stay as they are. */
function withoutFields(program: Program, unused: ReadonlySet<number>): Program {
  const number = new Map(
    [...program.fields.keys()].filter((field) => !unused.has(field)).map((field, at) => [field, at]),
  );
  const renumbered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renumbered);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [
      key,
      key === "field" ? number.get(inner as number) : renumbered(inner),
    ]);
    return Object.fromEntries(entries);
  };
  const { fields, nodes, rules, repairs } = program;
  const rest = renumbered({ nodes, rules, repairs }) as Pick<Program, "nodes" | "rules" | "repairs">;
  return { ...program, ...rest, fields: fields.filter((_, field) => !unused.has(field)) };
}
