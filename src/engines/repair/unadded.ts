/**
 * Stores that their transaction did not add, and the calls that add them. No flush or fence cures these: what has to be done is a change
 * of the source. Always: such a change has not been tried in the running code, and whoever shows it says so.
 */
import { type Finding, outsideTheSystem, ownPosition, type PlacedMark } from "../../crash/finding/index.ts";

export interface UnaddedStore {
  /** The rule's. */
  readonly finding: Finding;
  /** Crashes that show it, and what other rules say of the same line: that it is not flushed, when the commit would have. */
  readonly shownBy: readonly Finding[];
}

export const unaddedRule = "unadded-store";

/** The user's line, in any run of the program. */
function lineOf({ frames }: Pick<PlacedMark, "frames">): string | undefined {
  const own = frames[ownPosition(frames, outsideTheSystem) ?? -1];
  return own?.line === undefined ? undefined : `${own.file}:${own.line} ${own.function}`;
}

/** The stores that are to blame. */
const blamed = (finding: Finding): readonly PlacedMark[] => {
  const { crash, cause: mark, frames } = finding;
  if (crash === undefined) return [{ mark, frames }];
  return [...crash.lost, ...(crash.turning === undefined ? [] : [crash.turning])];
};

export function unaddedStores(findings: readonly Finding[]): readonly UnaddedStore[] {
  return findings
    .filter(({ rule, crash }) => rule.id === unaddedRule && crash === undefined)
    .map((finding) => {
      const line = lineOf(finding);
      const isIt = (one: Finding) =>
        one !== finding && line !== undefined && blamed(one).some((store) => lineOf(store) === line);
      return { finding, shownBy: findings.filter(isIt) };
    });
}

/** Findings that flushes and fences have nothing to do with: the stores themselves, and the crashes that show them. */
export const withoutUnadded = (findings: readonly Finding[]): readonly Finding[] => {
  const told = new Set(unaddedStores(findings).flatMap(({ finding, shownBy }) => [finding, ...shownBy]));
  return findings.filter((finding) => !told.has(finding));
};
