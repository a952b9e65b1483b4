/** Which lines of persistent memory a finding is about, and which of their stores. */

import type { Finding, HistoryLine, Mark, StoreFact } from "../../crash/finding/index.ts";
import { crashOf, type Moment } from "../../crash/states/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { WantedLines } from "./line-recording.ts";

const mostLines = 12;
/** Where recovery fails with every store kept and nothing tells which of them turned it: the lines stored to last. */
const latestLines = 3;

const lineAt = (path: string, offset: number): HistoryLine => ({ path, index: Math.floor(offset / lineBytes) });

/** Each line once, those that matter most first. */
export function withoutDoubles(lines: readonly HistoryLine[]): readonly HistoryLine[] {
  return [...new Map(lines.map((line) => [`${line.path} ${line.index}`, line])).values()];
}

const linesOf = (stores: readonly StoreFact[]): readonly HistoryLine[] =>
  stores.map(({ path, mark }) => lineAt(path, mark.address ?? 0));

/** A mark's address is the guest's. */
function lineOfMark({ address }: Mark, { mappings }: Moment): readonly HistoryLine[] {
  const place = address === undefined ? undefined : mappings.at(address);
  return place === undefined ? [] : [lineAt(mappings.path(place.file), place.offset)];
}

function ofCrash({ crash }: Finding, moment: Moment): WantedLines | undefined {
  if (crash === undefined) return undefined;
  const { lost, kept, earlier = [], turning, witness } = crash;
  const stores = [...lost, ...earlier, ...kept];
  const known = withoutDoubles([
    ...linesOf(stores),
    ...(turning === undefined ? [] : lineOfMark(turning.mark, moment)),
  ]);
  const latest = moment.lines.open.slice(-latestLines);
  const lines =
    known.length > 0 ? known : latest.map(({ file, index }) => ({ path: moment.mappings.path(file), index }));
  const cut = crashOf(witness.choices).before;
  return {
    lines: lines.slice(0, mostLines),
    cut,
    until: cut,
    lost: new Set(lost.map(({ mark }) => mark.seq)),
    told: new Set([...stores, ...(turning === undefined ? [] : [turning])].map(({ mark }) => mark.seq)),
  };
}

const nothing: ReadonlySet<number> = new Set();

function ofOrder({ order }: Finding): WantedLines | undefined {
  if (order === undefined) return undefined;
  const { missing, kept } = order;
  const told = new Set([missing.mark.seq, kept.mark.seq]);
  return { lines: withoutDoubles(linesOf([missing, kept])), until: Math.max(...told), lost: nothing, told };
}

/** What a rule says happened to memory; where it names no address, nothing is told. */
function ofRule({ cause, evidence }: Finding, moment: Moment): WantedLines {
  const marks = [cause, ...evidence.map(({ mark }) => mark)];
  const told = new Set(marks.map(({ seq }) => seq));
  const lines = withoutDoubles(marks.flatMap((mark) => lineOfMark(mark, moment))).slice(0, mostLines);
  return { lines, until: Math.max(...told), lost: nothing, told };
}

/** The event by which a finding is complete: its lines are looked for as of then. */
export const lastEventOf = ({ crash, order, cause, evidence }: Finding): number =>
  crash !== undefined
    ? crashOf(crash.witness.choices).before
    : Math.max(cause.seq, order?.kept.mark.seq ?? 0, ...evidence.map(({ mark }) => mark.seq)) + 1;

/** `moment` is that of the finding's last event. Undefined where it is about no lines. */
export function concernedLines(finding: Finding, moment: Moment): WantedLines | undefined {
  const wanted = ofCrash(finding, moment) ?? ofOrder(finding) ?? ofRule(finding, moment);
  return wanted.lines.length === 0 ? undefined : wanted;
}
