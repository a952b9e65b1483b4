/**
 * Findings as SARIF 2.1.0 (OASIS standard), with a code flow of the events that matter in the order they happened and the
 * calls that led to the cause. Paths below the directory of the run are relative to it, as GitHub wants them; others are file
 * URIs; a place without source is named by its module and offset.
 */
import { printableJson, printableLines } from "../../base/index.ts";
import type * as document from "../document/index.ts";
import { framesOf, shownFrame } from "../document/index.ts";
import { lineHashes } from "./line-hash.ts";
import { placeText } from "./place-text.ts";
import { fixesOf } from "./sarif-fixes.ts";

type ReadSource = (path: string) => string | undefined;

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const levels: Readonly<Record<document.Severity, "error" | "warning" | "note">> = {
  error: "error",
  performance: "warning",
  warning: "note",
};

const baseId = "%SRCROOT%";
const escapedPath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** Where a file lies: below the directory of the run, or anywhere. */
function artifactOf(path: string, { run }: document.Report) {
  const folder = run.directory === undefined ? undefined : `${run.directory.replace(/\/$/, "")}/`;
  if (folder !== undefined && path.startsWith(folder))
    return { uri: escapedPath(path.slice(folder.length)), uriBaseId: baseId };
  const plain = path.replace(/^(\.\/)+/, "");
  return path.startsWith("/") ? { uri: `file://${escapedPath(path)}` } : { uri: escapedPath(plain), uriBaseId: baseId };
}

function locationOf(report: document.Report, frame: document.Frame | undefined, says?: string) {
  const message = says === undefined ? {} : { message: { text: says } };
  if (frame === undefined) return message;
  const { file, line, column, module, address } = frame;
  const artifact = file ?? module;
  const region = file !== undefined &&
    line !== undefined && { region: { startLine: line, ...(column && { startColumn: column }) } };
  return {
    ...message,
    physicalLocation: {
      ...(artifact !== undefined && { artifactLocation: artifactOf(artifact, report) }),
      ...(artifact !== undefined && region),
      ...((artifact === undefined || !region) && { address: { absoluteAddress: Number(address) } }),
    },
    ...(frame.function !== undefined && {
      logicalLocations: [{ fullyQualifiedName: frame.function, kind: "function" }],
    }),
  };
}

/** As they happened; what recovery did comes after all that the program did, its end last. */
const stepsOf = ({ places }: document.Finding): document.MarkedPlace[] => {
  const part = ({ role }: document.MarkedPlace) => (role === "end" ? 2 : role === "read" ? 1 : 0);
  return [...places].sort((a, b) => part(a) - part(b) || a.event - b.event);
};

function codeFlowOf(report: document.Report, finding: document.Finding) {
  const locations = stepsOf(finding).map(({ says, event, thread, place }, index) => ({
    executionOrder: index + 1,
    location: locationOf(report, shownFrame(report, place), `event ${event}, thread ${thread}: ${says}`),
  }));
  return { threadFlows: [{ locations }] };
}

const stackOf = (report: document.Report, frames: readonly document.Frame[], says: string) => ({
  message: { text: says },
  frames: frames.map((frame) => ({ location: locationOf(report, frame, placeText(frame)) })),
});

/** By what GitHub tells alerts apart: the line's own text, so that lines above it may change. */
function lineHashOf(frame: document.Frame | undefined, readSource: ReadSource) {
  const text = frame?.file === undefined || frame.line === undefined ? undefined : readSource(frame.file);
  const hash = text === undefined ? undefined : lineHashes(text).get(frame!.line!);
  return hash === undefined ? {} : { primaryLocationLineHash: hash };
}

/** Viewers show texts and names as they are. */
const printableTexts = <T extends object>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) => (typeof each === "string" ? printableLines(each) : each));

function resultOf(report: document.Report, finding: document.Finding, readSource: ReadSource) {
  const { rule, severity, headline, message, advice, places, count, fingerprint, cure } = finding;
  const ruleIndex = report.rules.findIndex(({ id }) => id === rule);
  const [cause, ...related] = places;
  const shown = cause && shownFrame(report, cause.place);
  const frames = cause === undefined ? [] : framesOf(report, cause.place);
  const shownResult = {
    ruleId: rule,
    ...(ruleIndex >= 0 && { ruleIndex }),
    level: levels[severity],
    message: { text: `${headline}. ${message}. Fix: ${advice}` },
    occurrenceCount: count,
    ...(report.baseline !== undefined && { baselineState: finding.known === true ? "unchanged" : "new" }),
    partialFingerprints: { ...lineHashOf(shown, readSource), "blackout/v1": fingerprint },
    locations: shown === undefined ? [] : [locationOf(report, shown)],
    relatedLocations: related.map(({ place, says }, id) => ({
      id,
      ...locationOf(report, shownFrame(report, place), says),
    })),
    ...(frames.length > 0 && { stacks: [stackOf(report, frames, "calls that led here")] }),
    codeFlows: [codeFlowOf(report, finding)],
  };
  // What is inserted is source text, to the letter.
  return { ...printableTexts(shownResult), ...fixesOf(cure, advice, (path) => artifactOf(path, report)) };
}

const ruleOf = ({ id, severity, title, sentence, advice }: document.Rule) => ({
  id,
  name: id.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  shortDescription: { text: title },
  fullDescription: { text: sentence },
  help: { text: advice },
  defaultConfiguration: { level: levels[severity] },
  properties: { severity },
});

export function reportSarif(report: document.Report, readSource: ReadSource = () => undefined): string {
  const log = {
    $schema: schema,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "Blackout", semanticVersion: report.tool.version, rules: report.rules.map(ruleOf) },
        },
        columnKind: "utf16CodeUnits",
        ...(report.run.directory !== undefined && {
          originalUriBaseIds: { [baseId]: { uri: `file://${escapedPath(report.run.directory)}/` } },
        }),
        results: report.findings.map((finding) => resultOf(report, finding, readSource)),
      },
    ],
  };
  return printableJson(JSON.stringify(log, undefined, 2));
}
