/** From findings to the report: one document, of which every format is made. */

import {
  type CrashFacts,
  countFindings,
  type Finding,
  inOrder,
  type OrderFacts,
  type OwnModule,
  outsideTheSystem,
  type RuleInfo,
} from "../../crash/finding/index.ts";
import type { Witness } from "../../crash/states/index.ts";
import type * as document from "../document/index.ts";
import { bareName, shownFrame } from "../document/index.ts";
import { caseOf, crashWords, type Ending } from "./crash-case.ts";
import { crashPart, crashPlaces, markedPlace, toldWrites, turningPart, wrongCallPart } from "./crash-part.ts";
import { crashText } from "./crash-words.ts";
import { sourcesOf } from "./excerpts.ts";
import { historyPart } from "./history-part.ts";
import { byCause, type Cause } from "./one-cause.ts";
import { orderOfFailure, orderPart } from "./order-part.ts";
import { known, PlaceTable } from "./place-table.ts";
import { hasLine, libraryCall, whereText } from "./place-text.ts";
import type { PlacedPoint } from "./point-tree.ts";
import { recoveryPart } from "./recovery-part.ts";
import { type SettlingStores, settlingStores } from "./stray-stores.ts";
import { isUnadded, notUndone, unaddedRule, unaddedWords } from "./unadded.ts";

/** A place before which the power was cut, and what came of it. */
export interface JudgedPoint extends PlacedPoint {
  readonly event: number;
  readonly judged: number;
  readonly failing: number;
}

const pointOf = ({ frames, ...point }: JudgedPoint, places: PlaceTable): document.FailurePoint => ({
  place: places.add(frames),
  ...point,
});

/** What a report says beside its findings. */
export interface RunFacts {
  readonly version: string;
  readonly run: document.Run;
  readonly suppressed: number;
  readonly rules: readonly RuleInfo[];
  readonly coverage?: document.Coverage;
  /** Whether every crash state of the run was judged, and recovery fails on none. */
  readonly noCrashFails?: boolean;
  /** The coverage's failure points, where somebody wants to see them. */
  readonly points?: readonly JudgedPoint[];
  readonly effort?: document.Effort;
  readonly warnings?: readonly string[];
  readonly ownModule?: OwnModule;
  /** What a finding is known by while lines move. */
  keyOf?(finding: Finding): string;
  /** The command that replays a crash, word by word. */
  replayOf?(witness: Witness): readonly string[] | undefined;
  /** A source file's text, if it can be read. */
  readSource?(path: string): string | undefined;
}

/** "list.c:31: store never flushed in insert": what a rule found, on the user's line; in the library call that it makes there. */
function ruleHeadline({ rule }: Finding, tables: PlaceTable, place: number): string {
  const own = tables.places[place]?.own === undefined ? undefined : shownFrame(tables, place)?.function;
  const name = own === undefined ? undefined : (libraryCall(tables, place) ?? bareName(own));
  return `${whereText(tables, place)}: ${rule.title}${name === undefined ? "" : ` in ${name}`}`;
}

const rulePlaces = ({ rule, says, cause, frames, evidence }: Finding, places: PlaceTable): document.MarkedPlace[] => [
  markedPlace("cause", rule.id === unaddedRule ? notUndone : says, { mark: cause, frames }, places),
  ...evidence.map((each) => markedPlace("related", each.says, each, places)),
];

/** Rules whose advice fits better than to persist: the transaction has to know of the store. */
const knowsBetter: ReadonlySet<string> = new Set([unaddedRule, "loose-store"]);

const withoutOrder: ReadonlySet<document.Mistake> = new Set(["unfinished", "unrecoverable", "unadded"]);

const alsoRule = ({ rule, says, count }: Finding): document.AlsoRule => ({
  rule: rule.id,
  severity: rule.severity,
  message: says,
  count,
});

function findingOf(
  { finding, also }: Cause,
  facts: RunFacts,
  places: PlaceTable,
  settling: SettlingStores,
): document.Finding {
  const { run, replayOf } = facts;
  const { rule, count, fingerprint } = finding;
  const settled = finding.crash && settling.crash(finding.crash);
  const isCauseKnown = also.some(({ rule: { id } }) => id === unaddedRule) as true;
  const crash = settled && { ...settled, ...(isCauseKnown && { isCauseKnown }) };
  const order = finding.order && settling.order(finding.order, crash);
  if (order !== undefined && crash === undefined) {
    const key = facts.keyOf?.(finding);
    return { ...orderFinding(finding, order, places), ...(key !== undefined && { key }) };
  }
  const part = crash && crashPart(crash, run, places);
  const marked = crash && part ? crashPlaces(finding, crash, part, places) : rulePlaces(finding, places);
  const replay = crash && replayOf?.(crash.witness);
  const turning = crash && turningPart(crash, places);
  const [call] =
    crash === undefined ? [] : wrongCallPart(crash, { mark: finding.cause, frames: finding.frames }, places);
  const writes = crash && toldWrites(crash, places);
  const seen =
    part &&
    writes &&
    caseOf({
      ...part,
      writes,
      ...(turning && { turning }),
      leaks: part.recovery.verdict.kind === "leak",
      cutIsUsers: hasLine(places, part.cut.place),
      ending: endingOf(crash, part.recovery, places),
    });
  const cause = marked[0]!.place;
  const unadded = [finding, ...also].find((each) => isUnadded(each, cause, places));
  const told = unadded && seen ? ({ kind: "unadded" } as const) : seen;
  // Where every store was kept, or a transaction has to know of one, no order of theirs would help.
  const isOrders = told !== undefined && !withoutOrder.has(told.kind);
  const ordered = order && crash && part && isOrders && orderOfFailure(order, crash, part.cure, places);
  const { headline, advice: usual } = unadded
    ? unaddedWords(unadded, writes?.[0]?.write.name, places, facts.readSource)
    : seen
      ? crashWords(seen, places, call?.place)
      : { headline: ruleHeadline(finding, places, cause), advice: rule.advice };
  const advice = (!unadded && also.find((each) => knowsBetter.has(each.rule.id))?.rule.advice) || usual;
  const key = facts.keyOf?.(finding);
  return {
    fingerprint,
    ...(key !== undefined && { key }),
    rule: rule.id,
    severity: rule.severity,
    ...(told && { mistake: told.kind }),
    headline,
    message: crash === undefined ? finding.says : crashText(crash),
    advice,
    count,
    ...(also.length > 0 && { alsoRules: also.map(alsoRule) }),
    ...(facts.noCrashFails && rule.severity === "error" && { noCrashFails: true }),
    places: marked,
    ...historyPart(finding.history, places),
    // Where somebody asked why loads could read several stores, that tells more of them.
    ...(isCured(finding) ? withoutStrict(part) : part),
    ...ordered,
    ...repairedPart(finding, (ordered || part)?.cure),
    ...(part && replay && { witness: { ...part.witness, replay } }),
  };
}

function endingOf(crash: CrashFacts, { verdict: { kind }, end }: document.Recovery, places: PlaceTable): Ending {
  const place = end !== undefined && hasLine(places, end.place) ? end.place : undefined;
  return known<Ending>({ kind, place, before: recoveryPart(crash, places)?.says });
}

/** Insertions that cure a failure show that it was one of order, whatever one of its crash states looked like. */
const isCured = ({ repair }: Finding): boolean => repair !== undefined && "diff" in repair;

function withoutStrict(part: ReturnType<typeof crashPart> | undefined) {
  const { strict: _strict, ...more } = part ?? {};
  return more;
}

/** What is known of a cure that was tried. */
function repairedPart({ repair }: Finding, cure: document.Cure = { kind: "keep", stores: [] }) {
  if (repair === undefined) return {};
  if ("bound" in repair)
    return { cure: { ...cure, verification: { result: "not-tried", bound: repair.bound } as const } };
  if ("proposed" in repair)
    return { cure: { ...cure, verification: { result: "not-tried" } as const, diff: repair.proposed } };
  const verification = { result: "cured" } as const;
  return { cure: { ...cure, verification, ...(repair.diff !== "" && { diff: repair.diff }) } };
}

function orderFinding(
  { rule, says, count, fingerprint, history }: Finding,
  order: OrderFacts,
  places: PlaceTable,
): document.Finding {
  const { mistake, headline, advice, ...part } = orderPart(order, places);
  const told = { fingerprint, rule: rule.id, severity: rule.severity, mistake, headline, message: says, advice, count };
  return { ...told, ...part, ...historyPart(history, places) };
}

export function buildReport(findings: readonly Finding[], facts: RunFacts): document.Report {
  const ownModule = facts.ownModule ?? outsideTheSystem;
  const places = new PlaceTable(ownModule);
  const causes = byCause(inOrder(findings), ownModule);
  const settling = settlingStores(facts.readSource ?? (() => undefined));
  const shown = causes.map((cause) => findingOf(cause, facts, places, settling));
  const { error, performance, warning } = countFindings(causes.map(({ finding }) => finding));
  const { readSource, coverage, points } = facts;
  return known<document.Report>({
    schema: "blackout-report",
    version: 2,
    tool: { name: "Blackout", version: facts.version },
    run: facts.run,
    summary: { errors: error, performance, warnings: warning, suppressed: facts.suppressed },
    coverage: coverage && { ...coverage, ...(points && { points: points.map((point) => pointOf(point, places)) }) },
    effort: facts.effort,
    warnings: facts.warnings?.map((says) => ({ says })),
    findings: shown,
    rules: facts.rules.map(({ id, severity, title, sentence, advice }) => ({ id, severity, title, sentence, advice })),
    frames: places.frames,
    places: places.places,
    sources: readSource && sourcesOf(places.frames, readSource),
  });
}
