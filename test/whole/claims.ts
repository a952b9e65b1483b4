/** What a report says of a program, held against what its twin knows. */
import type * as document from "../../src/report/document/index.ts";
import { framesOf } from "../../src/report/document/index.ts";
import { eventsOf, type Node, type Program } from "./program.ts";
import { type Failure, judge } from "./twin.ts";

/** A kind of failure, and what shows it. */
export interface Complaint {
  readonly kind: string;
  readonly says: string;
}

type StepsOfLines = ReadonlyMap<number, readonly Node[]>;

/** A program, the lines of its steps, and all that a crash can break of it. */
export interface Known {
  readonly program: Program;
  readonly steps: StepsOfLines;
  readonly failures: readonly Failure[];
}

export function known(program: Program, steps: StepsOfLines): Known {
  const failures: Failure[] = [];
  // Where the model leaves something open, either way may be what was said.
  for (const libraryFences of [true, false])
    judge(program, { libraryFences, everyEvent: true }, (failure) => failures.push(failure));
  return { program, steps, failures };
}

/** The steps of a place: of the innermost of its frames that is a step's line. */
function stepsAt({ steps }: Known, report: document.Report, place: number): readonly Node[] {
  for (const { line, file } of framesOf(report, place))
    if (line !== undefined && /whole\.(c|cpp)$/.test(file ?? "") && steps.has(line)) return steps.get(line)!;
  return [];
}

export function sectionsOf(program: Program, nodes: readonly Node[]): ReadonlySet<number> {
  const sections = new Set<number>();
  for (const node of nodes) {
    if ("word" in node) sections.add(program.fields[node.word.field]!.section);
    else if (node.kind === "fill") sections.add(program.fields[node.field]!.section);
    else if (node.kind === "block") for (const section of sectionsOf(program, node.body)) sections.add(section);
    else if (node.kind === "parallel")
      for (const section of sectionsOf(program, node.bodies.flat())) sections.add(section);
  }
  return sections;
}

const crashes = (report: document.Report) =>
  report.findings.filter(({ cut, severity }) => cut !== undefined && severity === "error");

/** What is said of each crash, and of all of them together. */
export function wrongClaims(all: Known, report: document.Report): Complaint[] {
  return [...crashes(report).flatMap((finding) => wrongFinding(all, report, finding)), ...wrongSections(all, report)];
}

/** Every section that a crash breaks is named, and no other. */
function wrongSections(all: Known, report: document.Report): Complaint[] {
  const broken = new Set(all.failures.map(({ section }) => section));
  const told = crashes(report);
  const complaints: Complaint[] = [];
  const named = new Set<number>();
  let isElsewhere = false;
  for (const finding of told) {
    const places = finding.places.filter(
      ({ role }) => role !== "read" && role !== "end" && role !== "cut" && role !== "related",
    );
    const cause = sectionsOf(all.program, stepsAt(all, report, finding.places[0]!.place));
    if (cause.size > 0 && ![...cause].some((section) => broken.has(section)))
      complaints.push({ kind: "blame", says: `nothing is wrong with section ${[...cause]}: ${finding.headline}` });
    const sections = places.flatMap(({ place }) => [...sectionsOf(all.program, stepsAt(all, report, place))]);
    for (const section of sections) named.add(section);
    isElsewhere ||= sections.length === 0;
  }
  const hidden = [...broken].filter((section) => !named.has(section));
  if (told.length > 0 && hidden.length > 0 && !isElsewhere)
    complaints.push({
      kind: "hidden",
      says: `section ${hidden} is broken, and only these are told: ${told.map(({ headline }) => headline).join(" | ")}`,
    });
  if (told.length < broken.size && broken.size > 1)
    complaints.push({
      kind: "hidden",
      says: `${broken.size} sections are broken, and ${told.length} findings are told: ${told.map(({ headline }) => headline).join(" | ")}`,
    });
  return complaints;
}

function wrongFinding(all: Known, report: document.Report, finding: document.Finding): Complaint[] {
  const { mistake, strict, lost = [], cure, torn, places, headline } = finding;
  const complaints: Complaint[] = [];
  const say = (kind: string, says: string) => complaints.push({ kind, says: `${says}: ${headline}` });
  const cured = cure?.verification?.result === "cured";
  if (cured && strict === true) say("claim", "a fix cures what is no matter of order");
  const mine = stepsAt(all, report, places[0]!.place);
  if (mine.length === 0) say("blame", "no step of the program is blamed");
  const sections = sectionsOf(all.program, mine);
  const of = all.failures.filter(({ section }) => sections.size === 0 || sections.has(section));
  if (lost.length === 0 && !of.some(({ losesNothing }) => losesNothing))
    say("claim", "no state with every store kept fails");
  const isOrdered = all.program.nodes.every(({ kind }) => kind !== "parallel");
  if (strict === true && isOrdered && !of.some(({ isInOrder }) => isInOrder))
    say("claim", "no state in the order of stores fails");
  if (strict === true && mistake === "owed") say("claim", "what is owed is no matter of order");
  const events = eventsOf(all.program);
  const storesOf = (nodes: readonly Node[]) =>
    events.flatMap(({ step, deed }, at) => (deed.kind === "store" && nodes.includes(step) ? [at] : []));
  const isLost = (failure: Failure, stores: readonly number[]) =>
    stores.some((at) => at < failure.after && !failure.isKept(at));
  const isKept = (failure: Failure, stores: readonly number[]) =>
    stores.some((at) => at < failure.after && failure.isKept(at));
  const survivor = places.find(({ role }) => role === "survives");
  if (survivor !== undefined && lost.length > 0) {
    const [one, other] = [storesOf(mine), storesOf(stepsAt(all, report, survivor.place))];
    if (one.length === 0 || other.length === 0) return complaints;
    if (!of.some((failure) => isLost(failure, one) && isKept(failure, other)))
      say("claim", "no failing state loses the one and keeps the other");
    const isEither = torn === true && mistake !== "unordered" && /\beither\b/i.test(headline);
    if (isEither && !of.some((failure) => isLost(failure, other) && isKept(failure, one)))
      say("claim", "only one of the two losses breaks recovery");
  }
  return complaints;
}
