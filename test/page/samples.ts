/** Reports for the page: one with ten findings of every kind, large ones, and one whose guest is hostile. */
import type * as document from "../../src/report/document/index.ts";
import { ReportBuilder, ruleFinding } from "./builder.ts";
import { logFinding } from "./log-finding.ts";

const pool = "/home/you/log/pool";
const end = ["__libc_start_call_main", "libc.so.6"] as const;

function crashFinding(
  builder: ReportBuilder,
  fingerprint: string,
  line: number,
  recovery: document.Recovery,
  more: Partial<document.Finding> = {},
): document.Finding {
  const place = builder.place(["append", line], ["main", 29], end);
  const lost: document.Write = {
    event: 40 + line,
    thread: 1,
    place,
    file: pool,
    offset: 64 * line,
    size: 8,
    bytes: "2a00000000000000",
  };
  return {
    ...ruleFinding(fingerprint, place),
    rule: "recovery-fails",
    message: `Recovery fails when the store at log.c:${line} is lost.`,
    count: line,
    places: [{ role: "cause", says: "this write can be lost", event: 40 + line, thread: 1, place }],
    lost: [lost],
    cut: { event: 90, thread: 1, place: builder.place(["append", 10], ["main", 29], end), before: "sfence" },
    recovery,
    cure: { kind: "keep", stores: [0] },
    witness: {
      choices: [
        { kind: "crash", before: 90 },
        { kind: "cut", file: pool, line, kept: 0 },
      ],
    },
    ...more,
  };
}

function crashes(builder: ReportBuilder): document.Finding[] {
  const read = builder.place(["check", 15], ["main", 27], end);
  const at = { event: 300, thread: 1, place: read };
  return [
    crashFinding(
      builder,
      "a0killed",
      7,
      { verdict: { kind: "signal", name: "SIGSEGV", address: "0x10" }, end: at },
      {
        rule: "recovery-killed",
        headline: "log.c:7: recovery follows a pointer that a crash leaves null",
      },
    ),
    crashFinding(
      builder,
      "a1hangs",
      8,
      { verdict: { kind: "hang", instructions: 2_000_000 }, end: at },
      {
        rule: "recovery-hangs",
        headline: "log.c:8: recovery walks a list that a crash makes endless",
      },
    ),
    crashFinding(
      builder,
      "a2output",
      9,
      { verdict: { kind: "output", printed: "-1 0\n", expected: ["0 0\n", "-1 1\n"] } },
      {
        rule: "recovery-output",
        headline: "log.c:9: a transfer is half done after a crash",
      },
    ),
    crashFinding(
      builder,
      "a3incurable",
      10,
      { verdict: { kind: "exit", code: 3 }, stdout: "no root\n", end: at },
      {
        headline: "log.c:10: recovery does not understand what a clean stop leaves",
        lost: [],
        cure: { kind: "none", stores: [] },
      },
    ),
  ];
}

function robustness(builder: ReportBuilder): document.Finding {
  const [first, second] = [
    builder.place(["append", 7], ["main", 29], end),
    builder.place(["append", 9], ["main", 29], end),
  ];
  const write = (place: number, name: string, event: number): document.Write => ({
    event,
    thread: 1,
    place,
    size: 8,
    name,
    file: pool,
    offset: event,
  });
  return ruleFinding("b0robust", first, {
    rule: "not-robust",
    headline: "log.c:7 and log.c:9 may persist in the wrong order",
    message: "no execution under strict persistency leaves what this crash leaves",
    robustness: {
      kind: "too-old",
      earlier: write(first, "log->rec[k].sum", 64),
      later: write(second, "log->len", 0),
      reads: [builder.place(["check", 15], ["main", 27], end)],
    },
  });
}

function milder(builder: ReportBuilder): document.Finding[] {
  const library = builder.place(
    ["util_checksum_compute", "libpmemobj.so.1.0.0"],
    ["pmemobj_createU", "libpmemobj.so.1.0.0"],
    ["pmemobj_create", "libpmemobj.so.1.0.0"],
  );
  return [
    ruleFinding(
      "c0flush",
      builder.place(
        ["flush_clwb_nolog", "libpmem.so.1.0.0"],
        ["pmem_flush", "libpmem.so.1.0.0"],
        ["append", 8],
        ["main", 29],
        end,
      ),
      {
        rule: "flush-clean",
        severity: "performance",
        headline: "log.c:8: flush of a clean line in append",
        message:
          "the flush of 0x7f0000000040 finds its line clean: nothing was stored to it since it was last persisted",
        count: 20,
      },
    ),
    ruleFinding("d0creation", builder.place(["map", 24], ["main", 24], end), {
      rule: "creation-not-atomic",
      severity: "warning",
      headline:
        "the pool is not usable before log.c:24 has run: a crash while it is created leaves a file that recovery refuses",
      message: "every failing cut lies before the first point at which recovery succeeds with every store kept",
    }),
    ruleFinding("d1library", library, {
      rule: "shared-fence",
      severity: "warning",
      headline: "libpmemobj: one fence for several flushes in pmemobj_create",
      message: "12 flushes share one fence",
      count: 12,
    }),
  ];
}

const points = (builder: ReportBuilder): document.FailurePoint[] =>
  [6, 7, 8, 9, 10].map((line) => ({
    place: builder.place(["flush_clwb_nolog", "libpmem.so.1.0.0"], ["append", line], ["main", 29], end),
    before: line === 10 ? "sfence" : "clwb",
    states: line * line,
    judged: line * line,
    failing: line === 9 ? 19 : 0,
  }));

/** Ten findings of every kind, each part of the page in one of them. */
export function sampleReport(): document.Report {
  const builder = new ReportBuilder();
  const missing = builder.place(["append", 9], ["main", 29], end);
  const findings = [
    logFinding(builder),
    ...crashes(builder),
    robustness(builder),
    ruleFinding("b1missing", missing, {
      places: [
        { role: "cause", says: "the store was never flushed", event: 6, thread: 1, place: missing },
        {
          role: "related",
          says: "its line is flushed here at other times",
          event: 9,
          thread: 2,
          place: builder.place(["append", 10], ["main", 29], end),
        },
      ],
    }),
    ...milder(builder),
  ];
  return builder.report(findings, {
    coverage: {
      failurePoints: { judged: 44, total: 46 },
      crashStates: { judged: 330, total: 400 },
      exhaustive: false,
      stop: "time",
      points: points(builder),
    },
    effort: {
      tested: 210,
      skipped: 120,
      time: [
        { name: "tracing and planning", seconds: 2.4 },
        { name: "judging crash states", seconds: 61 },
      ],
    },
    warnings: [{ says: "The program maps pool twice.", place: missing }],
  });
}

/** As many findings as asked for, at places of their own. */
export function manyFindings(count: number): document.Report {
  const builder = new ReportBuilder();
  const severities = ["error", "performance", "warning"] as const;
  const findings = Array.from({ length: count }, (_, at) => {
    const line = (at % 28) + 1;
    const place = builder.place([`insert_${at}`, line], [`work_${at % 97}`, 29], ["main", 29], end);
    return ruleFinding(`many${at}`, place, {
      severity: severities[Math.min(2, Math.floor((3 * at) / count))]!,
      headline: `log.c:${line}: store never flushed in insert_${at}`,
      count: at + 1,
    });
  });
  return builder.report(findings);
}

/** A finding whose timeline has as many events as asked for. */
export function longTimeline(count: number): document.Report {
  const builder = new ReportBuilder();
  const place = builder.place(["append", 9], ["main", 29], end);
  const lines = 6;
  const events = Array.from({ length: count }, (_, at): document.TimelineEvent => {
    const line = Math.floor(at / 7) % lines;
    const where = { event: at, thread: 1, place };
    if (at % 7 < 4) return { kind: "store", ...where, line, offset: 8 * (at % 7), size: 8, bytes: "2a00000000000000" };
    if (at % 7 === 4) return { kind: "flush", ...where, op: "clwb", line };
    return at % 7 === 5
      ? { kind: "fence", ...where, op: "sfence" }
      : { kind: "durable", event: at - 1, line, through: at - 3 };
  });
  const timeline = {
    lines: Array.from({ length: lines }, (_, index) => ({ file: pool, index })),
    events,
    cut: count - 9,
  };
  return builder.report([ruleFinding("long", place, { timeline })]);
}

/** Everything that comes from a guest tries to become part of the page. */
export function hostileReport(): document.Report {
  const evil = `</script><script>window.hacked = 1</script><img src=x onerror="window.hacked=2"><!--\u2028$&'"\`{{`;
  const builder = new ReportBuilder(`/tmp/${evil}.c`);
  const place = builder.place([evil, 9], [evil, `${evil}.so`]);
  const finding = {
    ...logFinding(builder),
    fingerprint: evil,
    rule: evil,
    headline: evil,
    message: evil,
    advice: evil,
  };
  const words = { stdout: evil, stderr: `\u001b]8;;http://example.com\u0007${evil}` };
  const recovery: document.Recovery = { ...finding.recovery!, command: [evil], ...words };
  const lost = finding.lost!.map((write) => ({ ...write, text: evil, name: evil, file: evil, place }));
  const report = builder.report(
    [
      {
        ...finding,
        recovery,
        lost,
        cure: { ...finding.cure!, diff: evil },
        witness: { ...finding.witness!, replay: [evil] },
      },
    ],
    { warnings: [{ says: evil, place }] },
  );
  const excerpts = [{ from: 1, lines: Array.from({ length: 30 }, () => evil) }];
  return { ...report, run: { ...report.run, program: [evil] }, sources: [{ file: `/tmp/${evil}.c`, excerpts }] };
}
