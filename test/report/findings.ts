/** Findings made by hand for tests of reports, and reports of them. */

import { type Finding, fingerprintOf, type RuleInfo } from "../../src/crash/finding/index.ts";
import type * as document from "../../src/report/document/index.ts";
import { buildReport, type RunFacts } from "../../src/report/render/index.ts";
import type { Frame } from "../../src/trace/events/index.ts";

export const frame = (name: string | undefined, line: number | undefined, more: Partial<Frame> = {}): Frame => ({
  address: 0x40_1000 + (line ?? 0),
  function: name,
  file: line === undefined ? undefined : "/src/list.c",
  line,
  column: 5,
  module: "/bin/list",
  offset: 0x1000,
  inlined: false,
  ...more,
});

const info = (id: string, severity: RuleInfo["severity"]): RuleInfo => ({
  id,
  severity,
  title: "a title",
  sentence: "A sentence.",
  advice: "Some advice.",
});

export function finding(id: string, severity: RuleInfo["severity"], frames: readonly Frame[], seq = 3): Finding {
  const mark = { seq, thread: 1, site: 1, stack: 1, address: 0x1000, size: 8, value: 42n };
  return {
    rule: info(id, severity),
    says: "the store of 8 bytes at 0x1000 (value 0x2a) was never flushed",
    cause: mark,
    frames,
    evidence: [{ says: "flushed here", mark: { ...mark, seq: 1 }, frames: [frame("save", 9)] }],
    count: 2,
    fingerprint: fingerprintOf(id, frames),
  };
}

export const samples: readonly Finding[] = [
  finding("shared-fence", "warning", [frame("main", 7)], 9),
  finding("missing-flush", "error", [
    frame("put", 3, { inlined: true }),
    frame("ns::insert(int)", 5),
    frame("main", 7),
  ]),
  finding("flush-clean", "performance", [
    frame(undefined, undefined, { module: "/usr/lib/libpmem.so.1" }),
    frame("main", 8),
  ]),
  finding("redundant-fence", "performance", [frame(undefined, undefined, { module: undefined, offset: undefined })]),
];

export function reportOf(findings: readonly Finding[], more: Partial<RunFacts> = {}): document.Report {
  const rules = [...new Map(findings.map(({ rule }) => [rule.id, rule])).values()];
  const run = { command: "trace", engines: ["rules"], program: ["./list"], events: 10 };
  return buildReport(findings, { version: "1.2.3", run, suppressed: 0, rules, ...more });
}
