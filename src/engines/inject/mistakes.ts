/**
 * Which crashes show one mistake. Always: they count as one when recovery fails alike (in the same way, with the same words
 * of an assertion, in the same calls), when the same function of the program is responsible, and when the same cures it:
 * keeping what was lost, or nothing that flushes can do. Where else it shows is told, as far as there is room.
 */
import { assert } from "../../base/index.ts";
import { assertionOf, type Verdict } from "../../crash/index.ts";
import { type Finding, fingerprintOf, type PlacedMark, type RuleInfo } from "../../finding/index.ts";
import type { Frame } from "../../trace/index.ts";
import type { CrashFailure } from "./tally.ts";

const systemLibrary = /^\/(usr\/)?lib(32|64|x32)?\//;

/** The calls of the program's own functions, not its libraries', innermost first. */
function ownCalls(frames: readonly Frame[]): readonly Frame[] {
  const own = frames.filter(({ module }) => !systemLibrary.test(module ?? ""));
  const withSource = own.filter(({ file }) => file !== undefined);
  return withSource.length > 0 ? withSource : own.length > 0 ? own : frames;
}

/** The function that is responsible, and what was inlined into it there. */
function responsible(frames: readonly Frame[]): string {
  const calls = ownCalls(frames);
  const end = calls.findIndex(({ inlined }) => !inlined);
  return calls
    .slice(0, end + 1)
    .map((frame) => frame.function ?? `${frame.module}+${frame.offset}`)
    .join(" ");
}

/** How it failed, without what differs from build to build and from state to state. */
const failureName = (verdict: Verdict): string =>
  verdict.kind === "exit" ? `exit ${verdict.code}` : verdict.kind === "signal" ? verdict.name : verdict.kind;

/** A recovery that does not end is stopped just anywhere. */
const endsSomewhere = ({ kind }: Verdict): boolean => kind === "exit" || kind === "signal";

/** The same for crashes that show one mistake. `frames` are the responsible place's, `endFrames` where recovery ended. */
export function mistakeOf(
  { ended, cuts, expected }: CrashFailure,
  rule: RuleInfo,
  frames: readonly Frame[],
  endFrames: readonly Frame[],
): string {
  const said = expected === undefined ? assertionOf(ended) : "";
  const cure = cuts.length === 0 ? "incurable" : "lost";
  return fingerprintOf(
    [rule.id, failureName(ended.verdict), said, cure, responsible(frames)].join("\n"),
    endsSomewhere(ended.verdict) ? endFrames : [],
  );
}

const shownPlaces = 3;
/** A place to a reader: where in a function, called from where. */
const placeOf = (frames: readonly Frame[]): string =>
  [...new Set(ownCalls(frames).map(({ address }) => address))].slice(0, 2).join(" ");

/** One finding for each mistake: the first, with how many crash states show it and where else they came from. */
export function mergeFindings(findings: readonly Finding[]): Finding[] {
  const mistakes = new Map<string, readonly [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const known = mistakes.get(finding.fingerprint);
    mistakes.set(finding.fingerprint, known === undefined ? [finding] : [...known, finding]);
  }
  return [...mistakes.values()].map(merged);
}

function merged([first, ...more]: readonly [Finding, ...Finding[]]): Finding {
  const others = new Map(more.map((finding) => [placeOf(finding.frames), finding]));
  others.delete(placeOf(first.frames));
  const elsewhere = [...others.values()]
    .slice(0, shownPlaces)
    .map(({ cause, frames }): PlacedMark => ({ mark: cause, frames }));
  const count = more.reduce((sum, finding) => sum + finding.count, first.count);
  assert(first.crash !== undefined, "crash injection's findings tell of a crash");
  return { ...first, crash: { ...first.crash, elsewhere }, count };
}
