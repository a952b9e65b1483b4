/** Findings as JSON: docs/findings-json.md describes every field. A change that readers could notice raises the version. */
import { countFindings, type Finding, inOrder, type Mark } from "../finding/index.ts";
import type { Frame } from "../trace/index.ts";
import { told } from "./crash-words.ts";

export const jsonVersion = 1;

/** Numbers as hexadecimal text: 64 bits do not fit a JSON number everywhere. */
const hex = (number: number | bigint | undefined) => (number === undefined ? undefined : `0x${number.toString(16)}`);

const frameJson = ({ address, function: name, file, line, column, module, offset, inlined }: Frame) => ({
  address: hex(address),
  function: name,
  file,
  line,
  column,
  module,
  offset: hex(offset),
  inlined,
});

const eventJson = ({ seq, thread, address, size, value }: Mark, frames: readonly Frame[]) => ({
  event: seq,
  thread,
  address: hex(address),
  size,
  value: hex(value),
  frames: frames.map(frameJson),
});

const findingJson = ({ rule, says, cause, frames, evidence, count, fingerprint }: Finding) => ({
  rule: rule.id,
  severity: rule.severity,
  title: rule.title,
  message: says,
  advice: rule.advice,
  count,
  fingerprint,
  cause: eventJson(cause, frames),
  evidence: evidence.map((each) => ({ message: each.says, ...eventJson(each.mark, each.frames) })),
});

/** How much of what could be looked at was. */
export interface CoverageFigures {
  readonly points: number;
  readonly pointsInAll: number;
  readonly states: number;
  readonly statesInAll: number;
  /** Why not all, if not all. */
  readonly stop: string | undefined;
}

export interface RunFacts {
  readonly command?: readonly string[] | undefined;
  readonly events: number;
  readonly suppressed: number;
  readonly coverage?: CoverageFigures;
}

export function reportJson(findings: readonly Finding[], facts: RunFacts): string {
  const counts = countFindings(findings);
  const document = {
    schema: "blackout-findings",
    version: jsonVersion,
    command: facts.command,
    events: facts.events,
    summary: {
      errors: counts.error,
      performance: counts.performance,
      warnings: counts.warning,
      suppressed: facts.suppressed,
    },
    coverage: facts.coverage && {
      failurePoints: facts.coverage.points,
      failurePointsInAll: facts.coverage.pointsInAll,
      crashStates: facts.coverage.states,
      crashStatesInAll: facts.coverage.statesInAll,
      stop: facts.coverage.stop,
    },
    findings: inOrder(findings).map(told).map(findingJson),
  };
  return JSON.stringify(document, undefined, 2);
}
