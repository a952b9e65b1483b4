/**
 * Which stores a failing recovery cannot do without: the fewest lines, of these the fewest stores, and what had to be kept for
 * the failure to show.
 */
import {
  type CutChoice,
  type CutLine,
  choiceOf,
  type FailurePoint,
  leakFailure,
  type Moment,
  type PoolObject,
  type PrintedWrong,
  type RecoveryEnd,
  smallestFailing,
} from "../../crash/states/index.ts";
import { type LineCut, lineBytes, type PmStore, prefixCuts, type TrackedLine } from "../../model/pmem/index.ts";

export interface LostStore extends PmStore {
  readonly path: string;
  /** In the file. */
  readonly address: number;
}

/** Why recovery fails on a state, as plain data. */
export interface Explanation {
  /** How it failed, and the place responsible: equal ones are one finding. */
  readonly cause: string;
  readonly ended: RecoveryEnd;
  /** The fewest lines that recovery fails without, cut; none when it fails with every store kept. */
  readonly cuts: readonly CutChoice[];
  /** The stores of those lines that were lost. */
  readonly stores: readonly LostStore[];
  /** Stores that were kept although a crash may lose them; with any of them lost too, recovery succeeds. */
  readonly kept: readonly LostStore[];
  /** Where what was printed is what is wrong. */
  readonly printed?: PrintedWrong;
  /** Objects that are leaked, where that is what is wrong. */
  readonly leaked?: readonly PoolObject[];
}

/** Where the lost stores come from; how often does not matter. States may lose a hundred thousand stores of a few places. */
export function sitesOf(cuts: readonly CutLine[]): string {
  const stacks = new Map<number, Set<number>>();
  const sites: string[] = [];
  for (const { line, cut } of cuts)
    for (let at = cut.kept; at < line.pending.length; at++) {
      if (isKeptPiece(cut, at)) continue;
      const { site, stack } = line.pending[at]!;
      const known = stacks.get(site) ?? new Set();
      if (known.has(stack)) continue;
      stacks.set(site, known.add(stack));
      sites.push(`${site}/${stack}`);
    }
  return sites.join(" ");
}

/** Of the store right behind those that are kept whole, some pieces may be. */
const isKeptPiece = ({ kept, pieces }: LineCut, at: number): boolean =>
  at - kept < 32 && ((pieces >>> (at - kept)) & 1) !== 0;

/** The stores that a cut loses; of a wide one, its lost pieces. */
export const lostStores = ({ line, cut }: CutLine): readonly PmStore[] =>
  line.pending.filter((_, at) => at >= cut.kept && !isKeptPiece(cut, at));

/** A failing crash state's point, and how recoveries on others of its states end. */
export interface StateInQuestion {
  readonly point: FailurePoint;
  readonly moment: Moment;
  outcome(cuts: readonly CutLine[]): RecoveryEnd;
  /** How recovery failed, undefined when it went well. */
  failureOf(ended: RecoveryEnd): string | undefined;
  /** What is wrong with what was printed, where that is the failure. */
  printedWrong(ended: RecoveryEnd): PrintedWrong | undefined;
  /** Objects that the crash leaks, where that may be the failure. */
  leaked?(ended: RecoveryEnd): readonly PoolObject[];
}

export function explainState(state: StateInQuestion, cuts: readonly CutLine[], failure: string): Explanation {
  const { point, moment, outcome } = state;
  const fails = (part: readonly CutLine[]) => state.failureOf(outcome(part)) === failure;
  const culprits = moment.lines.isOrdered
    ? longestFailing(moment, cuts, fails)
    : fewerStores(smallestFailing(cuts, fails), fails);
  const place = culprits.length === 0 ? `at ${point.site}/${point.stack}` : `without ${sitesOf(culprits)}`;
  const ended = outcome(culprits);
  const printed = state.printedWrong(ended);
  return {
    cause: `${failure} ${place}`,
    ended,
    cuts: culprits.map((cut) => choiceOf(cut, moment)),
    stores: culprits.flatMap((cut) => lostStores(cut).map((store) => storeIn(cut.line, store, moment))),
    kept:
      culprits.length === 0 || moment.lines.isOrdered
        ? []
        : keptThatMatter(moment, culprits, (part) => isFailure(state, part)),
    ...(printed && { printed }),
    ...(failure === leakFailure && { leaked: state.leaked!(ended) }),
  };
}

/** Where stores persist in their order: of the states that keep more, the one that keeps the most and fails. */
function longestFailing(
  { lines }: Moment,
  cuts: readonly CutLine[],
  fails: (part: readonly CutLine[]) => boolean,
): readonly CutLine[] {
  const lost = cuts.reduce((sum, cut) => sum + lostStores(cut).length, 0);
  const { length } = lines.inOrder;
  for (let kept = length; kept > length - lost; kept--) {
    const part = prefixCuts(lines, kept);
    if (fails(part)) return part;
  }
  return cuts;
}

/** A store as one to a file. */
export const storeIn = ({ file, index }: TrackedLine, store: PmStore, { mappings }: Moment): LostStore => ({
  ...store,
  path: mappings.path(file),
  address: index * lineBytes + store.offset,
});

/** Lines that are tried; the youngest are the likeliest. */
const mostKeptLines = 16;

/** Recovery fails, in whatever way: what only changes how it fails is not needed for it. */
const isFailure = ({ outcome, failureOf }: StateInQuestion, part: readonly CutLine[]): boolean =>
  failureOf(outcome(part)) !== undefined;

/** Of each line without which recovery succeeds: the first store that makes it fail again. */
function keptThatMatter(
  moment: Moment,
  culprits: readonly CutLine[],
  fails: (part: readonly CutLine[]) => boolean,
): readonly LostStore[] {
  const others = moment.lines.open.filter((line) => culprits.every((cut) => cut.line !== line)).slice(-mostKeptLines);
  return others.flatMap((line) => {
    const failsWith = (kept: number) => fails([...culprits, { line, cut: { kept, pieces: 0 } }]);
    if (failsWith(0)) return [];
    const ends = line.pending.map((_, at) => at + 1).filter((kept) => isCut({ line, cut: { kept, pieces: 0 } }));
    const needed = ends.find(failsWith);
    return needed === undefined ? [] : [storeIn(line, line.pending[needed - 1]!, moment)];
  });
}

/** Each line cut as late as it still fails: then the first store that it loses is the one that matters. */
function fewerStores(cuts: readonly CutLine[], fails: (part: readonly CutLine[]) => boolean): readonly CutLine[] {
  return cuts.reduce((known, cut) => {
    const others = known.filter((each) => each !== cut);
    for (let kept = cut.line.pending.length - 1; kept > cut.cut.kept; kept--) {
      const later = { line: cut.line, cut: { kept, pieces: 0 } };
      if (isCut(later) && fails([...others, later])) return known.map((each) => (each === cut ? later : each));
    }
    return known;
  }, cuts);
}

/** A cut between the pieces of one store is none: which of them are kept is free. */
const isCut = ({ line, cut }: CutLine): boolean => !line.pending[cut.kept]?.further;
