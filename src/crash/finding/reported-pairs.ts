/**
 * Stores out of order that no recovery fails over, beside those that one does fail over. Always: one mistake is one finding: where a
 * failure is laid to a function, what that function stores too late is told with it.
 */
import type { CrashFacts, PlacedMark } from "./crash.ts";
import type { Finding } from "./finding.ts";
import type { OrderFacts } from "./order.ts";
import { responsibleFor } from "./own-frames.ts";

const blamed = ({ lost, earlier = [], turning, elsewhere }: CrashFacts): readonly PlacedMark[] => [
  ...lost,
  ...earlier,
  ...(turning === undefined ? [] : [turning]),
  ...elsewhere,
];
const lateStores = ({ missing, others }: OrderFacts): readonly PlacedMark[] => [
  missing,
  ...others.map((pair) => pair.missing),
];

export function withoutReportedPairs(findings: readonly Finding[]): readonly Finding[] {
  const failures = findings.filter(({ crash }) => crash !== undefined);
  const places = failures.flatMap(({ crash, order, frames }) => [
    { frames },
    ...blamed(crash!),
    ...(order === undefined ? [] : lateStores(order)),
  ]);
  const functions = new Set(places.map(({ frames }) => responsibleFor(frames)));
  const isTold = ({ crash, order }: Finding) =>
    crash === undefined && order !== undefined && functions.has(responsibleFor(order.missing.frames));
  return findings.filter((finding) => !isTold(finding));
}
