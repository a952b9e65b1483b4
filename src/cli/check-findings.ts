/** From crashes that recovery failed on to findings: places by name, the recovery's own stack, what was lost. */
import { type Layout, storedValue, type Verdict } from "../crash/index.ts";
import { type CrashFinding, injectRules, lastWords } from "../engines/index.ts";
import { describeStore, type Finding, type Mark, type RuleInfo, type ShownEvidence } from "../finding/index.ts";
import { mistakeOf } from "./check-mistakes.ts";
import type { Places } from "./places.ts";
import type { RecoveryEnds } from "./recovery-ends.ts";

const verdictText: { readonly [K in Verdict["kind"]]: (verdict: Verdict & { readonly kind: K }) => string } = {
  exit: ({ code }) => `exits with ${code}`,
  signal: ({ name, address }) =>
    `is killed by ${name}${address === undefined ? "" : `, accessing 0x${address.toString(16)}`}`,
  deadlock: () => "waits for ever",
  hang: ({ instructions }) => `does not end within ${instructions} instructions`,
};
export const describeVerdict = (verdict: Verdict): string =>
  (verdictText[verdict.kind] as (verdict: Verdict) => string)(verdict);

const shownStores = 4;
const quotedLetters = 160;

/** Text of a guest in one line, not too long. */
function quoted(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, " / ");
  return `"${line.length > quotedLetters ? `${line.slice(0, quotedLetters)}…` : line}"`;
}

/** How recovery failed, with what it said of it. */
function failureText({ ended, expected }: CrashFinding): string {
  if (expected !== undefined)
    return `recovery prints ${quoted(ended.stdout)}; after a clean stop it prints ${quoted(expected[0])} before the operation under way and ${quoted(expected[1])} after it`;
  const said = lastWords(ended);
  return `recovery ${describeVerdict(ended.verdict)}${said === "" ? "" : `, saying ${quoted(said)}`}`;
}

/** What it takes to fail, and what cures it. */
function cureText({ stores, lost }: CrashFinding): string {
  if (lost.length === 0) return "although every store before the power cut was kept: no flush or fence can cure it";
  const these = stores.length === 1 ? "this store is" : `these ${stores.length} stores are`;
  const line =
    stores.length === 1 ? "its line" : lost.length === 1 ? "their line" : `any of their ${lost.length} lines`;
  return `when ${these} lost and all others are kept: ${placeOf(stores)}; with ${line} kept, the failure is gone`;
}

export const ruleOf = ({ ended, expected }: CrashFinding): RuleInfo =>
  expected === undefined ? injectRules[ended.verdict.kind] : injectRules.output;

/** `layout` is the crash state that shows it. */
export function findingOf(crash: CrashFinding, layout: Layout, ends: RecoveryEnds, places: Places): Finding {
  const { point, stores, ended, count, lost, expected } = crash;
  const frames = ({ site, stack }: Mark) => places.resolver.frames(site, stack);
  const shown = (says: string, mark: Mark): ShownEvidence => ({ says, mark, frames: frames(mark) });
  const cut: Mark = { seq: point.seq, thread: point.thread, site: point.site, stack: point.stack };
  const lostMarks = stores.map((store): Mark => {
    const { seq, thread, site, stack, address, size } = store;
    return { seq, thread, site, stack, address, size, value: storedValue(store) };
  });
  const cause = lostMarks[0] ?? cut;
  const others = distinct(lostMarks.slice(1)).slice(0, shownStores - 1);
  const end = expected === undefined ? ends.of(layout, ended) : undefined;
  const rule = ruleOf(crash);
  const ownFrames = frames(cause);
  return {
    rule,
    says: `${failureText(crash)}, ${cureText(crash)}`,
    cause,
    frames: ownFrames,
    evidence: [
      ...others.map((mark) => shown(`lost with it: ${describeStore(mark)}`, mark)),
      ...(lost.length === 0 ? [] : [shown(cutText(point), cut)]),
      ...(end === undefined ? [] : [end]),
    ],
    count,
    fingerprint: mistakeOf(crash, rule, ownFrames, end?.frames ?? []),
  };
}

const cutText = ({ before }: CrashFinding["point"]): string =>
  before === "end" ? "the power is cut after the program's last event" : `the power is cut before this ${before}`;

/** Each place once. */
const distinct = (marks: readonly Mark[]): Mark[] =>
  [...new Map(marks.toReversed().map((mark) => [`${mark.site}/${mark.stack}`, mark])).values()].toReversed();

/** "8 bytes at 0x40 (value 0x1) of /pm/pool and 2 more". */
function placeOf([first, ...more]: CrashFinding["stores"]): string {
  if (first === undefined) return "";
  const place = `${describeStore({ ...first, value: storedValue(first) })} of ${first.path}`;
  return more.length === 0 ? place : `${place} and ${more.length} more`;
}
