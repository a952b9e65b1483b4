/** A log whose length is published before its record: a finding with every part that the page can show. */
import type * as document from "../../src/report/document/index.ts";
import type { ReportBuilder } from "./builder.ts";

export const logDiff = `--- a/log.c
+++ b/log.c
@@ -7,6 +7,7 @@ static void append(struct log *log, const char *text)
     log->rec[k].sum = checksum(log->rec[k].text);
     pmem_flush(&log->rec[k], sizeof log->rec[k]);
+    pmem_drain();
     log->len = k + 1;   // publishes the record
     pmem_persist(&log->len, sizeof log->len);
 }
`;

const pool = "/home/you/log/pool";
const libpmem = "libpmem.so.1.0.0";
const main = ["main", 29] as const;
const checking = ["main", 27] as const;
const start = ["__libc_start_call_main", "libc.so.6"] as const;

const placesOf = (builder: ReportBuilder) => ({
  text: builder.place(["__strncpy_avx2", "libc.so.6"], ["append", 6], main, start),
  sum: builder.place(["append", 7], main, start),
  flush: builder.place(["flush_clwb_nolog", libpmem], ["pmem_flush", libpmem], ["append", 8], main, start),
  len: builder.place(["append", 9], main, start),
  persist: builder.place(["flush_clwb_nolog", libpmem], ["pmem_persist", libpmem], ["append", 10], main, start),
  check: builder.place(["check", 15], checking, start),
  damaged: builder.place(["check", 17], checking, start),
});
type Places = ReturnType<typeof placesOf>;

const on = (event: number, place: number): document.EventPlace => ({ event, thread: 1, place });
const [one, zero] = ["0100000000000000", "0000000000000000"];
const stored = { text: "6d65737361676520", more: "6e756d6265722030", sum: "a3fc72b57ea57d19" };

function timelineOf({ text, sum, flush, len, persist }: Places): document.Timeline {
  const store = (at: document.EventPlace, line: number, offset: number, bytes: string, name: string) =>
    ({ kind: "store", ...at, line, offset, size: 8, bytes, name }) as const;
  return {
    lines: [
      { file: pool, index: 0, name: "log->len" },
      { file: pool, index: 1, name: "log->rec[0]" },
    ],
    events: [
      { ...store(on(55, text), 1, 8, stored.text, "log->rec[0].text"), fate: "lost" },
      { ...store(on(56, text), 1, 16, stored.more, "log->rec[0].text"), fate: "lost" },
      { ...store(on(73, sum), 1, 0, stored.sum, "log->rec[0].sum"), fate: "lost" },
      { kind: "flush", ...on(74, flush), op: "clwb", line: 1 },
      { ...store(on(76, len), 0, 0, one, "log->len"), fate: "kept" },
      { kind: "flush", ...on(77, persist), op: "clwb", line: 0 },
      { kind: "fence", ...on(78, persist), op: "sfence" },
      { kind: "durable", event: 78, line: 0, through: 76 },
      { kind: "durable", event: 78, line: 1, through: 73 },
      store(on(83, text), 1, 40, stored.text, "log->rec[1].text"),
    ],
    cut: 77,
    omitted: 3,
  };
}

function readsOf({ check }: Places): document.RecoveryRead[] {
  const read = (event: number, offset: number, size: number, bytes: string, name: string) =>
    ({ ...on(event, check), file: pool, offset, size, bytes, name }) as const;
  return [
    { ...read(12, 0, 8, one, "log->len"), store: 76 },
    { ...read(15, 64, 8, zero, "log->rec[0].sum"), lost: 73, fatal: true },
    { ...read(16, 72, 1, "00", "log->rec[0].text"), lost: 55 },
  ];
}

function treeOf({ persist }: Places): document.RecoveryNode {
  const read = (bytes: string, name: string) => ({ size: 8, bytes, name });
  const leaf = (code: number) => ({ choices: [], verdict: { kind: "exit", code }, states: 1, children: [] }) as const;
  const goesOn: document.RecoveryNode = {
    choices: [],
    read: read(one, "log->len"),
    states: 2,
    children: [
      { ...leaf(1), read: read(zero, "log->rec[0].sum"), fails: true },
      { ...leaf(0), choices: [{ kind: "crash", before: 14 }], cut: { ...on(14, persist), before: "sfence" } },
    ],
  };
  const stops: document.RecoveryNode = { ...leaf(0), read: read(zero, "log->len"), states: 2 };
  return { choices: [{ kind: "crash", before: 77 }], states: 4, children: [stops, goesOn] };
}

const markedPlaces = ({ text, len, persist, damaged }: Places): document.MarkedPlace[] => [
  { role: "cause", says: "this write can be lost", ...on(55, text) },
  { role: "survives", says: "while this one, which makes it count, survives", ...on(76, len) },
  { role: "cut", says: "the power is cut before the clwb in here", ...on(77, persist) },
  { role: "end", says: "recovery gives up here", ...on(107, damaged) },
];

function lostWrites({ text, sum }: Places): document.Write[] {
  const bytes = `${stored.text}${stored.more}`;
  const record = { text: "message number 0", name: "log->rec[0].text", stores: 2 };
  return [
    { ...on(55, text), file: pool, offset: 72, size: 16, bytes, ...record },
    { ...on(73, sum), file: pool, offset: 64, size: 8, bytes: stored.sum, name: "log->rec[0].sum" },
  ];
}

export function logFinding(builder: ReportBuilder): document.Finding {
  const places = placesOf(builder);
  return {
    fingerprint: "67fbc389fc98cd13",
    rule: "recovery-fails",
    severity: "error",
    headline: "log.c:6 may be lost while log.c:9 is kept: nothing makes rec[k] durable before len",
    message: "Recovery exits with 1 when the record is lost and the length that publishes it is kept.",
    advice: "fence after the flush of the record and before the store that publishes it.",
    count: 19,
    places: markedPlaces(places),
    lost: lostWrites(places),
    kept: [{ ...on(76, places.len), file: pool, offset: 0, size: 8, bytes: one, name: "log->len" }],
    cut: { ...on(77, places.persist), before: "clwb" },
    recovery: {
      command: ["./log", "pool", "check"],
      verdict: { kind: "exit", code: 1 },
      stderr: "record 0 is damaged\n",
      end: on(107, places.damaged),
    },
    cure: {
      kind: "keep",
      stores: [0, 1],
      suggestions: [{ insert: "fence", after: places.flush }],
      verification: { result: "cured", states: 412, seconds: 2.5 },
      diff: logDiff,
    },
    witness: {
      choices: [
        { kind: "crash", before: 77 },
        { kind: "cut", file: pool, line: 1, kept: 0 },
      ],
      replay: ["blackout", "replay", "witness.json"],
    },
    timeline: timelineOf(places),
    reads: readsOf(places),
    tree: treeOf(places),
  };
}
