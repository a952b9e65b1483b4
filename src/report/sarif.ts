/**
 * Findings as SARIF 2.1.0 (OASIS standard), with a code flow of the events that matter in the order they happened and the
 * calls that led to the cause. Paths are file URIs; a place without source is named by its module and offset.
 */
import type * as document from "../document/index.ts";
import { framesOf, shownFrame } from "../document/index.ts";
import { placeText } from "./place-text.ts";

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const levels: Readonly<Record<document.Severity, "error" | "warning" | "note">> = {
  error: "error",
  performance: "warning",
  warning: "note",
};

const uriOf = (path: string): string => {
  const escaped = path.split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? `file://${escaped}` : escaped;
};

function locationOf(frame: document.Frame | undefined, says?: string) {
  const message = says === undefined ? {} : { message: { text: says } };
  if (frame === undefined) return message;
  const { file, line, column, module, address } = frame;
  const artifact = file ?? module;
  const region = file !== undefined &&
    line !== undefined && { region: { startLine: line, ...(column && { startColumn: column }) } };
  return {
    ...message,
    physicalLocation: {
      ...(artifact !== undefined && { artifactLocation: { uri: uriOf(artifact) } }),
      ...(artifact !== undefined && region),
      ...((artifact === undefined || !region) && { address: { absoluteAddress: Number(address) } }),
    },
    ...(frame.function !== undefined && {
      logicalLocations: [{ fullyQualifiedName: frame.function, kind: "function" }],
    }),
  };
}

/** As they happened; where recovery ended comes after all that the program did. */
const stepsOf = ({ places }: document.Finding): document.MarkedPlace[] =>
  [...places].sort((a, b) => Number(a.role === "end") - Number(b.role === "end") || a.event - b.event);

function codeFlowOf(report: document.Report, finding: document.Finding) {
  const locations = stepsOf(finding).map(({ says, event, thread, place }, index) => ({
    executionOrder: index + 1,
    location: locationOf(shownFrame(report, place), `event ${event}, thread ${thread}: ${says}`),
  }));
  return { threadFlows: [{ locations }] };
}

const stackOf = (frames: readonly document.Frame[], says: string) => ({
  message: { text: says },
  frames: frames.map((frame) => ({ location: locationOf(frame, placeText(frame)) })),
});

function resultOf(report: document.Report, finding: document.Finding) {
  const { rule, severity, message, advice, places, count, fingerprint } = finding;
  const ruleIndex = report.rules.findIndex(({ id }) => id === rule);
  const [cause, ...related] = places;
  const frames = cause === undefined ? [] : framesOf(report, cause.place);
  return {
    ruleId: rule,
    ...(ruleIndex >= 0 && { ruleIndex }),
    level: levels[severity],
    message: { text: `${message}. ${advice}` },
    occurrenceCount: count,
    partialFingerprints: { "blackout/v1": fingerprint },
    locations: cause === undefined ? [] : [locationOf(shownFrame(report, cause.place))],
    relatedLocations: related.map(({ place, says }, id) => ({ id, ...locationOf(shownFrame(report, place), says) })),
    ...(frames.length > 0 && { stacks: [stackOf(frames, "calls that led here")] }),
    codeFlows: [codeFlowOf(report, finding)],
  };
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

export function reportSarif(report: document.Report): string {
  const log = {
    $schema: schema,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "Blackout", semanticVersion: report.tool.version, rules: report.rules.map(ruleOf) },
        },
        columnKind: "utf16CodeUnits",
        results: report.findings.map((finding) => resultOf(report, finding)),
      },
    ],
  };
  return JSON.stringify(log, undefined, 2);
}
