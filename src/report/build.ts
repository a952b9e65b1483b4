/** From findings to the report: one document, of which every format is made. */
import type * as document from "../document/index.ts";
import { baseName } from "../document/index.ts";
import { countFindings, type Finding, inOrder, type RuleInfo } from "../finding/index.ts";
import { crashPart, crashPlaces, markedPlace } from "./crash-part.ts";
import { crashText } from "./crash-words.ts";
import { sourcesOf } from "./excerpts.ts";
import { type OwnModule, outsideTheSystem } from "./own-code.ts";
import { known, PlaceTable } from "./place-table.ts";

/** What a report says beside its findings. */
export interface RunFacts {
  readonly version: string;
  readonly run: document.Run;
  readonly suppressed: number;
  readonly rules: readonly RuleInfo[];
  readonly coverage?: document.Coverage;
  readonly effort?: document.Effort;
  readonly warnings?: readonly string[];
  readonly ownModule?: OwnModule;
  /** A source file's text, if it can be read. */
  readSource?(path: string): string | undefined;
}

function headlineOf({ rule }: Finding, { frames, places }: PlaceTable, place: number): string {
  const { own = 0, frames: calls } = places[place]!;
  const { file, line, function: name, module } = frames[calls[own] ?? -1] ?? {};
  const where = file === undefined ? module && baseName(module) : `${baseName(file)}:${line}`;
  return [where && `${where}:`, rule.title, name && `in ${name}`].filter(Boolean).join(" ");
}

const rulePlaces = ({ says, cause, frames, evidence }: Finding, places: PlaceTable): document.MarkedPlace[] => [
  markedPlace("cause", says, { mark: cause, frames }, places),
  ...evidence.map((each) => markedPlace("related", each.says, each, places)),
];

function findingOf(finding: Finding, run: document.Run, places: PlaceTable): document.Finding {
  const { rule, count, fingerprint, crash } = finding;
  const part = crash && crashPart(crash, run, places);
  const marked = crash && part ? crashPlaces(finding, crash, part.lost, places) : rulePlaces(finding, places);
  return {
    fingerprint,
    rule: rule.id,
    severity: rule.severity,
    headline: headlineOf(finding, places, marked[0]!.place),
    message: crash === undefined ? finding.says : crashText(crash),
    advice: rule.advice,
    count,
    places: marked,
    ...part,
  };
}

export function buildReport(findings: readonly Finding[], facts: RunFacts): document.Report {
  const places = new PlaceTable(facts.ownModule ?? outsideTheSystem);
  const shown = inOrder(findings).map((finding) => findingOf(finding, facts.run, places));
  const { error, performance, warning } = countFindings(findings);
  const { readSource } = facts;
  return known<document.Report>({
    schema: "blackout-report",
    version: 2,
    tool: { name: "Blackout", version: facts.version },
    run: facts.run,
    summary: { errors: error, performance, warnings: warning, suppressed: facts.suppressed },
    coverage: facts.coverage,
    effort: facts.effort,
    warnings: facts.warnings?.map((says) => ({ says })),
    findings: shown,
    rules: facts.rules.map(({ id, severity, title, sentence, advice }) => ({ id, severity, title, sentence, advice })),
    frames: places.frames,
    places: places.places,
    sources: readSource && sourcesOf(places.frames, readSource),
  });
}
