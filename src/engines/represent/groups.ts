/**
 * Behaviours that stand for others (Squint, step D): from the one with the most nodes down, each joins every group whose
 * representative stands for it, or else begins one. Always: behaviours that look alike are judged once, so that a run of a
 * hundred thousand operations costs as much as the kinds of operation in it.
 */
import type { Behaviour } from "./behaviours.ts";
import type { StoreOrder } from "./order.ts";
import { constraintsOf, nodesOf, type Outline, outlineKey, outlineOf, represents } from "./outline.ts";

export interface Group {
  /** Its representative. */
  readonly leader: Behaviour;
  /** All others, those that look like the leader first. */
  readonly members: readonly Behaviour[];
}

interface Kind {
  readonly outline: Outline;
  readonly nodes: number;
  readonly constraints: number;
  /** In the order of the run. */
  readonly behaviours: Behaviour[];
}

export function groupBehaviours(behaviours: readonly Behaviour[], order: StoreOrder): readonly Group[] {
  const groups: { readonly outline: Outline; readonly kinds: Kind[] }[] = [];
  for (const kind of kindsOf(behaviours, order)) {
    const fitting = groups.filter(({ outline }) => represents(outline, kind.outline));
    for (const { kinds } of fitting) kinds.push(kind);
    if (fitting.length === 0) groups.push({ outline: kind.outline, kinds: [kind] });
  }
  return groups.map(({ kinds }) => {
    const [leader, ...members] = kinds.flatMap((kind) => kind.behaviours);
    return { leader: leader!, members };
  });
}

/** Most nodes first, then fewest constraints, then position. */
function kindsOf(behaviours: readonly Behaviour[], order: StoreOrder): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  for (const behaviour of behaviours) {
    const outline = outlineOf(behaviour, order);
    const key = outlineKey(outline);
    const known = kinds.get(key);
    if (known !== undefined) known.behaviours.push(behaviour);
    else {
      const [nodes, constraints] = [nodesOf(outline), constraintsOf(outline)];
      kinds.set(key, { outline, nodes, constraints, behaviours: [behaviour] });
    }
  }
  // The sort is stable, and kinds are in the order of their first behaviour.
  return [...kinds.values()].sort((a, b) => b.nodes - a.nodes || a.constraints - b.constraints);
}
