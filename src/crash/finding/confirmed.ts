/**
 * What crashes say of a rule's findings. Always: a store that is never flushed is a warning by itself, since it may be meant
 * so; where recovery fails because it was lost, it is an error.
 */
import type { Finding, Mark } from "./finding.ts";

/** Rules whose findings are in doubt until a crash shows them. */
const doubtful: ReadonlySet<string> = new Set(["transient-data", "transient-lock"]);

/** The instruction that stored, in any run of the program. */
const placeOf = ({ frames }: Pick<Finding, "frames">): number | undefined => frames[0]?.address;

export function confirmedByCrashes(findings: readonly Finding[]): readonly Finding[] {
  const lost = new Map<number | undefined, Mark>(
    findings.flatMap(({ crash }) => crash?.lost ?? []).map((store) => [placeOf(store), store.mark]),
  );
  return findings.map((finding) => {
    if (!doubtful.has(finding.rule.id) || !lost.has(placeOf(finding))) return finding;
    const says = `${finding.says}; after a crash that loses it, recovery fails`;
    return { ...finding, says, rule: { ...finding.rule, severity: "error" } };
  });
}
