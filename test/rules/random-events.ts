/** Events by chance, about few lines and of few threads, so that they get in each other's way. */
import { below, pick, type RandomState } from "../../src/base/index.ts";
import { type EventBody, ownTransaction } from "../../src/trace/events/index.ts";
import type { RequestKind } from "../../src/trace/record/index.ts";

const start = 0x10_0000;

/** Where chance comes from, how many lines the events are about, how far apart, and how many of a thousand are fences. */
export interface Chance {
  readonly random: RandomState;
  readonly lines: number;
  readonly stride: number;
  readonly fences: number;
}

/** One of two words on a line that the others are about too. */
export const lockWord = (random: RandomState): number => start + 8 + 8 * below(random, 2);

const lineOf = ({ random, lines, stride }: Chance): number => start + 64 * stride * below(random, lines);
const someRange = (chance: Chance) => ({
  start: lineOf(chance) + 8 * below(chance.random, 8),
  length: 8 << below(chance.random, 5),
});

/** Half of them are lines that nobody stores to. */
const flushedLine = ({ random, lines, stride }: Chance): number => start + 64 * stride * below(random, 2 * lines);

function someStore(chance: Chance, kind: "store" | "non-temporal"): EventBody {
  const { random } = chance;
  const size = pick(random, [1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8]);
  const address = lineOf(chance) + 8 * below(random, 8) + below(random, 9 - size);
  return { kind, address, size, value: (BigInt(below(random, 3)) * 0x0101_0001n) & ((1n << BigInt(8 * size)) - 1n) };
}

const someRequest = (chance: Chance, thread: number): EventBody => ({
  kind: "request",
  request: pick(chance.random, [
    "flush",
    "flush",
    "fence",
    "set-clean",
    "remove-mapping",
    "register-mapping",
    "tx-start",
    "tx-add",
    "tx-add",
    "tx-end",
    "tx-end",
  ] satisfies RequestKind[]),
  transaction: ownTransaction(thread),
  ...someRange(chance),
});

/** Sites are a page apart from here on; code of libc may lie at some of them. */
export const firstSite = 0x40_0000;
const someCode = (random: RandomState) => ({
  start: firstSite + 0x1000 * below(random, 3),
  // All of its last page, or the one site there.
  length: 0x1000 * (1 + below(random, 3)) - pick(random, [0, 0, 0xff8]),
});

const rest: readonly ((chance: Chance, thread: number) => EventBody)[] = [
  ({ random }) => ({
    kind: "unmap",
    start: start + 128 * below(random, 3),
    length: pick(random, [128, 128, 0x1000]),
  }),
  ({ random }) => ({
    kind: "map",
    start: start + 128 * Math.max(0, below(random, 5) - 2),
    length: pick(random, [128, 0x1000]),
    path: "/pm",
    offset: 0,
    persistent: true,
    executable: false,
  }),
  (chance) => ({ kind: "msync", ...someRange(chance) }),
  ({ random }) => ({
    kind: "written",
    path: pick(random, ["/pm", "/pm", "/other"]),
    offset: below(random, 256),
    ...(below(random, 2) === 0 ? { zeros: 1 + below(random, 128) } : { bytes: new Uint8Array(1 + below(random, 128)) }),
  }),
  ({ random }) => ({
    kind: "map",
    ...someCode(random),
    path: "/lib/libc.so.6",
    offset: 0,
    persistent: false,
    executable: true,
  }),
  ({ random }) => ({ kind: "unmap", ...someCode(random) }),
  () => ({ kind: "thread-end" }),
  () => ({ kind: "marker", text: "here" }),
  someRequest,
  someRequest,
  someRequest,
];

export function someEvent(chance: Chance, thread: number): EventBody {
  const { random } = chance;
  const dice = below(random, 1000);
  if (dice < 500) return someStore(chance, "store");
  if (dice < 550) return someStore(chance, "non-temporal");
  if (dice < 750)
    return {
      kind: pick(random, ["clwb", "clwb", "clflushopt", "clflush"]),
      address: flushedLine(chance) + below(random, 64),
    };
  if (dice < 750 + chance.fences)
    return { kind: pick(random, ["sfence", "sfence", "sfence", "mfence", "lfence", "locked"]) };
  if (dice < 920) return { kind: "lfence" };
  return pick(random, rest)(chance, thread);
}
