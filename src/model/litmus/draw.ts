/** An execution as a picture: nodes in a column per thread, edges by relation; as Graphviz text here, as SVG in svg.ts. */
import { isInitial } from "../pmem/index.ts";
import type { Execution } from "./execution.ts";
import { edgeName, recoveryLabel } from "./explain.ts";
import type { LitmusTest } from "./program.ts";

export interface DrawnNode {
  readonly label: string;
  readonly column: number;
  readonly row: number;
  readonly shape: "event" | "flush" | "initial" | "recovery";
}

export interface DrawnEdge {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly inCycle: boolean;
}

export interface Drawing {
  readonly title: string;
  readonly columns: readonly string[];
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

export function drawExecution(test: LitmusTest, title: string, execution: Execution): Drawing {
  const { graph, cuts } = execution;
  const threads = test.phases.at(-1)?.length ?? 0;
  const rows = Array.from({ length: threads }, () => 1);
  let initials = 0;
  const nodes = graph.events.map((event): DrawnNode => {
    const label = isInitial(event) ? event.text : describeEvent(event);
    if (isInitial(event)) return { label, column: initials++, row: 0, shape: "initial" };
    const row = rows[event.thread] as number;
    rows[event.thread] = row + 1;
    return { label, column: event.thread, row, shape: event.kind === "FL" || event.kind === "FO" ? "flush" : "event" };
  });
  const bottom = Math.max(1, ...rows);
  cuts.forEach((_, index) => {
    nodes.push({ label: recoveryLabel(test, execution, index), column: index, row: bottom, shape: "recovery" });
  });
  return {
    title,
    columns: Array.from({ length: threads }, (_, thread) => `T${thread}`),
    nodes,
    edges: edgesOf(execution),
  };
}

const describeEvent = ({ text, valueRead }: { text: string; valueRead?: number }): string =>
  valueRead === undefined ? text : `${text} → ${valueRead}`;

/** Program order step by step, rf, co step by step, what ties recovery, and whatever else the cycle uses. */
function edgesOf(execution: Execution): DrawnEdge[] {
  const { graph, cuts, cycle = [] } = execution;
  const { events, readsFrom, coherence } = graph;
  const edges = new Map<string, DrawnEdge>();
  const add = (from: number, to: number, name: string, inCycle = false) => {
    if (inCycle || !edges.has(`${from} ${to}`)) edges.set(`${from} ${to}`, { from, to, name, inCycle });
  };
  cycle.forEach((node, index) => {
    const next = cycle[(index + 1) % cycle.length] as number;
    add(node, next, edgeName(execution, node, next), true);
  });
  events.forEach((event, id) => {
    if (id > 0 && events[id - 1]?.thread === event.thread && !isInitial(event)) add(id - 1, id, "po");
  });
  readsFrom.forEach((from, to) => {
    if (from >= 0) add(from, to, "rf");
  });
  for (const order of coherence.values())
    order.forEach((store, index) => {
      if (index > 0) add(order[index - 1] as number, store, "co");
    });
  cuts.forEach(({ flushes, kept }, index) => {
    for (const flush of flushes) add(flush, events.length + index, "fb");
    for (const store of kept) add(store, events.length + index, "rf");
  });
  return [...edges.values()];
}

const shapes: Readonly<Record<DrawnNode["shape"], string>> = {
  event: "box",
  flush: "cds",
  initial: "plaintext",
  recovery: "ellipse",
};

const quote = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

export function drawingToDot({ title, columns, nodes, edges }: Drawing): string {
  const lines = [`digraph ${quote(title)} {`, `  label=${quote(title)}; rankdir=TB; node [fontname="monospace"];`];
  const declare = (node: DrawnNode, index: number) =>
    `n${index} [label=${quote(node.label)} shape=${shapes[node.shape]}];`;
  nodes.forEach((node, index) => {
    if (node.shape === "initial" || node.shape === "recovery") lines.push(`  ${declare(node, index)}`);
  });
  columns.forEach((name, column) => {
    lines.push(`  subgraph cluster_${column} {`, `    label=${quote(name)};`);
    nodes.forEach((node, index) => {
      const inThread = node.shape === "event" || node.shape === "flush";
      if (inThread && node.column === column) lines.push(`    ${declare(node, index)}`);
    });
    lines.push("  }");
  });
  for (const { from, to, name, inCycle } of edges)
    lines.push(`  n${from} -> n${to} [label=${quote(name)}${inCycle ? " color=red fontcolor=red penwidth=2" : ""}];`);
  return `${lines.join("\n")}\n}\n`;
}
