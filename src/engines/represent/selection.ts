/**
 * Which behaviours are tested: the representative of each group, and of the others the first that have a statement, with its
 * callers, which no tested one has. Squint tests these only where their representative fails; they are few, and an update
 * that is right in itself may come at a wrong moment. Always:
 * - Every statement that stores is part of a tested behaviour, unless only the representatives are wanted.
 * - What a representative of an earlier run stands for is not tested again.
 */
import type { Group, Variant } from "./groups.ts";
import type { KnownUpdates } from "./known-updates.ts";
import { represents } from "./outline.ts";

export interface Selection {
  /** Groups that no representative of an earlier run stands for. */
  readonly freshGroups: number;
  readonly leaders: readonly Variant[];
  readonly others: readonly Variant[];
}

/** Notes what is selected as tested. */
export function selectTested(groups: readonly Group[], everyStatement: boolean, known: KnownUpdates): Selection {
  const isKnown = ({ outline }: Group) => known.outlines.some((tested) => represents(tested, outline));
  const fresh = groups.filter((group) => !isKnown(group));
  const leaders = fresh.map(({ leader }) => leader);
  for (const { outline } of fresh) known.outlines.push(outline);
  for (const { statements } of leaders) for (const statement of statements) known.tested.add(statement);
  if (!everyStatement) return { freshGroups: fresh.length, leaders, others: [] };
  const others: Variant[] = [];
  for (const { leader, members } of groups)
    for (const variant of [leader, ...members]) {
      if (variant.statements.every((statement) => known.tested.has(statement))) continue;
      for (const statement of variant.statements) known.tested.add(statement);
      others.push(variant);
    }
  return { freshGroups: fresh.length, leaders, others };
}
