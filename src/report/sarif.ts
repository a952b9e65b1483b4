/**
 * Findings as SARIF 2.1.0 (OASIS standard), with a code flow of the events that matter in the order they happened and the
 * calls that led to the cause. Paths are file URIs; a place without source is named by its module and offset.
 */
import { type Finding, inOrder, type Mark, type RuleInfo, type Severity } from "../finding/index.ts";
import type { Frame } from "../trace/index.ts";
import { told } from "./crash-words.ts";
import { placeText } from "./text.ts";

export interface SarifOptions {
  readonly rules: readonly RuleInfo[];
  readonly version: string;
}

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const levels: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  error: "error",
  performance: "warning",
  warning: "note",
};

const uriOf = (path: string): string => {
  const escaped = path.split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? `file://${escaped}` : escaped;
};

/** The frame that a reader wants to see: the innermost with a source line. */
const shownFrame = (frames: readonly Frame[]): Frame | undefined =>
  frames.find(({ file, line }) => file !== undefined && line !== undefined) ?? frames[0];

function locationOf(frame: Frame | undefined, says?: string) {
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
      ...((artifact === undefined || !region) && { address: { absoluteAddress: address } }),
    },
    ...(frame.function !== undefined && {
      logicalLocations: [{ fullyQualifiedName: frame.function, kind: "function" }],
    }),
  };
}

interface Step {
  readonly says: string;
  readonly mark: Mark;
  readonly frames: readonly Frame[];
}

const stepsOf = ({ says, cause, frames, evidence }: Finding): Step[] =>
  [{ says, mark: cause, frames }, ...evidence].sort((a, b) => a.mark.seq - b.mark.seq);

function codeFlowOf(finding: Finding) {
  const locations = stepsOf(finding).map(({ says, mark, frames }, index) => ({
    executionOrder: index + 1,
    location: locationOf(shownFrame(frames), `event ${mark.seq}, thread ${mark.thread}: ${says}`),
  }));
  return { threadFlows: [{ locations }] };
}

const stackOf = (frames: readonly Frame[], says: string) => ({
  message: { text: says },
  frames: frames.map((frame) => ({ location: locationOf(frame, placeText(frame)) })),
});

function resultOf(finding: Finding, ruleIndex: number) {
  const { rule, says, frames, evidence, count, fingerprint } = finding;
  return {
    ruleId: rule.id,
    ...(ruleIndex >= 0 && { ruleIndex }),
    level: levels[rule.severity],
    message: { text: `${says}. ${rule.advice}` },
    occurrenceCount: count,
    partialFingerprints: { "blackout/v1": fingerprint },
    locations: [locationOf(shownFrame(frames))],
    relatedLocations: evidence.map((each, id) => ({ id, ...locationOf(shownFrame(each.frames), each.says) })),
    ...(frames.length > 0 && { stacks: [stackOf(frames, "calls that led here")] }),
    codeFlows: [codeFlowOf(finding)],
  };
}

const ruleOf = ({ id, severity, title, sentence, advice }: RuleInfo) => ({
  id,
  name: id.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  shortDescription: { text: title },
  fullDescription: { text: sentence },
  help: { text: advice },
  defaultConfiguration: { level: levels[severity] },
  properties: { severity },
});

export function reportSarif(findings: readonly Finding[], { rules, version }: SarifOptions): string {
  const results = inOrder(findings)
    .map(told)
    .map((finding) =>
      resultOf(
        finding,
        rules.findIndex(({ id }) => id === finding.rule.id),
      ),
    );
  const document = {
    $schema: schema,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "Blackout", semanticVersion: version, rules: rules.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        results,
      },
    ],
  };
  return JSON.stringify(document, undefined, 2);
}
