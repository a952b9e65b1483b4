/** From crashes that recovery failed on to findings: places by name, the recovery's own stack, what was lost. */
import { resolve } from "node:path";
import { inflateSync } from "node:zlib";
import { type Layout, lineBytes, type Verdict } from "../crash/index.ts";
import { type CrashFinding, injectRules } from "../engines/index.ts";
import { describeStore, type Finding, fingerprintOf, type Mark, type ShownEvidence } from "../finding/index.ts";
import { ModuleMap, Resolver } from "../symbols/index.ts";
import {
  decodeEvent,
  type EventSink,
  Recorder,
  recordWords,
  type TraceEvent,
  type TraceTables,
} from "../trace/index.ts";
import type { CheckSession } from "./check-session.ts";
import { readIfThere } from "./files.ts";

export interface Places {
  readonly modules: ModuleMap;
  readonly resolver: Resolver;
}

export function placesOf(tables: TraceTables, root = "/"): Places {
  const modules = new ModuleMap(tables);
  const readFile = (path: string) => readIfThere(resolve(root, `.${path.startsWith("/") ? path : `/${path}`}`));
  const inflate = (bytes: Uint8Array) => new Uint8Array(inflateSync(bytes));
  return { modules, resolver: new Resolver({ tables, modules, readFile, inflate }) };
}

const verdictText: { readonly [K in Verdict["kind"]]: (verdict: Verdict & { readonly kind: K }) => string } = {
  exit: ({ code }) => `exits with ${code}`,
  signal: ({ name, address }) =>
    `is killed by ${name}${address === undefined ? "" : `, accessing 0x${address.toString(16)}`}`,
  deadlock: () => "waits for ever",
  hang: ({ instructions }) => `does not end within ${instructions} instructions`,
};
export const describeVerdict = (verdict: Verdict): string =>
  (verdictText[verdict.kind] as (verdict: Verdict) => string)(verdict);

class LastEvent implements EventSink {
  readonly #tables: TraceTables;
  last: TraceEvent | undefined;
  constructor(tables: TraceTables) {
    this.#tables = tables;
  }
  events(words: Uint32Array, first: number): void {
    const at = words.length / recordWords - 1;
    this.last = decodeEvent(words, at, first + at, this.#tables.texts);
  }
  end(): void {}
}

/** Runs a failing recovery once more, traced, to see where it ended. */
function whereItEnded(session: CheckSession, layout: Layout, limit: number): ShownEvidence | undefined {
  let places: Places | undefined;
  let last: LastEvent | undefined;
  const recorder = new Recorder([
    (tables) => {
      places = placesOf(tables);
      return places.modules;
    },
    (tables) => {
      last = new LastEvent(tables);
      return last;
    },
  ]);
  const { recovery, machine } = session.recovery({ trace: { recorder, annotations: false } });
  recovery.run(layout, limit);
  machine.endTrace();
  const event = last?.last;
  if (event === undefined) return undefined;
  const mark: Mark = { seq: event.seq, thread: event.thread, site: event.site, stack: event.stack };
  return { says: "recovery ended here", mark, frames: places!.resolver.frames(event.site, event.stack) };
}

const shownStores = 4;

/** `layout` is the crash state that shows it. */
export function findingOf(
  crash: CrashFinding,
  layout: Layout,
  session: CheckSession,
  places: Places,
  limit: number,
): Finding {
  const { point, stores, ended, count, lost } = crash;
  const frames = ({ site, stack }: Mark) => places.resolver.frames(site, stack);
  const cut: Mark = { seq: point.seq, thread: point.thread, site: point.site, stack: point.stack };
  const lostMarks = stores.map(({ seq, thread, site, stack, offset, size, value }): Mark => {
    return { seq, thread, site, stack, size, value, address: offset };
  });
  const cause = lostMarks[0] ?? cut;
  const others = lostMarks.slice(1, shownStores);
  const cutEvidence: ShownEvidence = {
    says: `the power is cut before this ${point.before}`,
    mark: cut,
    frames: frames(cut),
  };
  const end = whereItEnded(session, layout, limit);
  const said = ended.stderr.trim().split("\n").at(-1) ?? "";
  const rule = injectRules[ended.verdict.kind];
  const ownFrames = frames(cause);
  return {
    rule,
    says: [
      `recovery ${describeVerdict(ended.verdict)}${said === "" ? "" : `, saying "${said}"`}`,
      lost.length === 0
        ? "although every store before the power cut was kept"
        : `when ${stores.length === 1 ? "this store is" : "these stores are"} lost and all others are kept: ${placeOf(crash)}`,
    ].join(", "),
    cause,
    frames: ownFrames,
    evidence: [
      ...others.map((mark) => ({ says: "lost with it", mark, frames: frames(mark) })),
      ...(lost.length === 0 ? [] : [cutEvidence]),
      ...(end === undefined ? [] : [end]),
    ],
    count,
    fingerprint: fingerprintOf(`${rule.id} ${describeVerdict(ended.verdict)}`, [...ownFrames, ...(end?.frames ?? [])]),
  };
}

/** "8 bytes at 0x40 (value 0x1) of /pm/pool". */
function placeOf({ stores, lost }: CrashFinding): string {
  const [store] = stores;
  const [line] = lost;
  if (store === undefined || line === undefined) return "";
  const address = line.index * lineBytes + store.offset;
  const more = stores.length > 1 ? ` and ${stores.length - 1} more` : "";
  return `${describeStore({ ...store, address })} of ${line.path}${more}`;
}
