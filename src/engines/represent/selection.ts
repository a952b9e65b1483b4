/**
 * Which behaviours are tested: the representative of each group, and of the others the first that have a statement, with its
 * callers, which no tested one has. Squint tests these only where their representative fails; they are few, and an update
 * that is right in itself may come at a wrong moment. Always: every statement that stores is part of a tested behaviour,
 * unless only the representatives are wanted.
 */
import type { Group, Variant } from "./groups.ts";

export interface Selection {
  readonly leaders: readonly Variant[];
  readonly others: readonly Variant[];
}

export function selectTested(groups: readonly Group[], everyStatement: boolean): Selection {
  const leaders = groups.map(({ leader }) => leader);
  if (!everyStatement) return { leaders, others: [] };
  const statements = new Set(leaders.flatMap((leader) => leader.statements));
  const others: Variant[] = [];
  for (const { members } of groups)
    for (const member of members) {
      if (member.statements.every((statement) => statements.has(statement))) continue;
      for (const statement of member.statements) statements.add(statement);
      others.push(member);
    }
  return { leaders, others };
}
