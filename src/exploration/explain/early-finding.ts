/** A failing recovery in a line, before anybody looks for who is to blame. */
import { counted } from "../../base/index.ts";
import type { EarlyFinding } from "../../crash/finding/index.ts";
import { placeWords } from "../../crash/finding/index.ts";
import { describeVerdict, type FailurePoint, lastWords, type RecoveryEnd } from "../../crash/states/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import type { FailureKind } from "./failure-kind.ts";
import { blameOf } from "./mistakes.ts";
import { recoveryRules } from "./rules.ts";

interface Lost {
  readonly site: number;
  readonly stack: number;
}

export interface EarlyFailure {
  readonly kind: FailureKind;
  readonly ended: RecoveryEnd;
  readonly point: FailurePoint;
  /** Stores that recovery cannot do without; none where it fails with every store kept. */
  readonly lost: readonly Lost[];
}

export function earlyFinding(
  { kind, ended, point, lost }: EarlyFailure,
  framesOf: (site: number, stack: number) => readonly Frame[],
): EarlyFinding {
  const places = (lost.length > 0 ? lost : [point]).map(({ site, stack }) => framesOf(site, stack));
  const texts = [...new Set(places.map(placeWords))];
  const without = texts.length === 1 ? texts[0]! : `${texts[0]} and ${counted(texts.length - 1, "other place")}`;
  const cut = placeWords(framesOf(point.site, point.stack));
  const how = lost.length > 0 ? `where what ${without} stored is lost` : "with every store kept";
  return {
    rule: recoveryRules[kind],
    frames: places[0]!,
    says: `recovery ${doing(kind, ended)} ${how}, the power cut at ${cut}`,
    mistakes: [...new Set(places.map(blameOf))],
  };
}

function doing(kind: FailureKind, ended: RecoveryEnd): string {
  if (kind === "output") return "prints what no clean stop leaves";
  if (kind === "lines") return "prints less than it ever did";
  if (kind === "leak") return "leaves objects that nothing refers to";
  const said = lastWords(ended);
  return `${describeVerdict(ended.verdict)}${said === "" ? "" : `, saying "${said}",`}`;
}
