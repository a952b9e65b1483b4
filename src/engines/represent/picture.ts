/**
 * Persistence graphs of update behaviours, by group, to be drawn: a node for each store, an edge where one store is durable
 * before another is issued. Always: an edge that follows from others is left out, and what is too much to look at is counted
 * instead.
 */
import type { Behaviour } from "./behaviours.ts";
import type { GroupedUpdates } from "./grouped-updates.ts";
import type { Group, Variant } from "./groups.ts";
import type { StoreOrder } from "./order.ts";

export interface PictureNode {
  readonly label: string;
  /** Nodes of lower levels come before it. */
  readonly level: number;
}

export interface PictureGraph {
  /** "representative, 3 times". */
  readonly title: string;
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly (readonly [from: number, to: number])[];
}

export interface PictureGroup {
  readonly title: string;
  readonly graphs: readonly PictureGraph[];
}

/** Behaviours of a group and stores of a behaviour that are drawn. */
const mostGraphs = 4;
const mostNodes = 32;

/** The groups with a behaviour of a type or a function of this name; all of them if none is given. */
export function pictureOf(updates: GroupedUpdates, name: string | undefined): readonly PictureGroup[] {
  return updates.groups.flatMap((group, index) =>
    name === undefined || isAbout(updates, group, name) ? [drawnGroup(updates, group, index)] : [],
  );
}

function isAbout({ parts, functions }: GroupedUpdates, { leader, members }: Group, name: string): boolean {
  return [leader, ...members].some(
    ({ behaviour, statements }) =>
      behaviour.fields.some((field) => parts.fieldName(field).type === name) ||
      statements.some((statement) => functions[statement] === name),
  );
}

function drawnGroup(updates: GroupedUpdates, { leader, members }: Group, index: number): PictureGroup {
  const all = [leader, ...members];
  const count = all.reduce((sum, variant) => sum + variant.count, 0);
  const types = new Set(leader.behaviour.fields.map((field) => updates.parts.fieldName(field).type));
  const left = all.length > mostGraphs ? `, ${all.length - mostGraphs} kinds not drawn` : "";
  return {
    title: `group ${index + 1}: ${[...types].join(", ")}, ${times(count, "behaviour")}${left}`,
    graphs: all.slice(0, mostGraphs).map((variant, at) => drawnGraph(updates, variant, at === 0)),
  };
}

const times = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function drawnGraph({ parts, order }: GroupedUpdates, { behaviour, count }: Variant, isLeader: boolean): PictureGraph {
  const { stores, fields } = behaviour;
  const edges = reducedEdges(behaviour, order);
  const levels: number[] = [];
  for (const at of stores.slice(0, mostNodes).keys())
    levels.push(Math.max(0, ...edges.filter(([, to]) => to === at).map(([from]) => levels[from]! + 1)));
  const left = stores.length > mostNodes ? `, ${times(stores.length - mostNodes, "more store")}` : "";
  return {
    title: `${isLeader ? "representative" : "represented"}, ${times(count, "time")}${left}`,
    nodes: levels.map((level, at) => ({ level, label: labelOf(parts.fieldName(fields[at]!)) })),
    edges,
  };
}

const labelOf = ({ type, field }: { readonly type: string; readonly field: string }): string => `${type}.${field}`;

/** Between the first stores; none that follows from two others. */
function reducedEdges({ stores }: Behaviour, order: StoreOrder): readonly (readonly [number, number])[] {
  const drawn = stores.slice(0, mostNodes);
  const precedes = (a: number, b: number) => order.precedes(drawn[a]!, drawn[b]!);
  const numbers = [...drawn.keys()];
  return numbers.flatMap((from) =>
    numbers
      .filter((to) => precedes(from, to) && !numbers.some((via) => precedes(from, via) && precedes(via, to)))
      .map((to) => [from, to] as const),
  );
}
