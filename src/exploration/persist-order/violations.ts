/**
 * Judges what one way of recovery read: line by line in the order of its reads, as PSan does load by load. A read that contradicts
 * those before it is a violation; it counts only where those before can be chosen without one. Always: a way has a
 * violation if and only if some choice of stores that its reads may be from has two that contradict each other.
 */
import { Choices, contradict, type LineOnWay } from "./choices.ts";
import { type CutBounds, keptAt, type MadeStore, missingAt } from "./line-stores.ts";

/** `missing` happens before `kept`, and was lost where `kept` was not: nothing makes it persist in between. */
export interface OrderViolation {
  /** Whether it is the later of the two reads that is too old, or too new for the earlier one. */
  readonly reading: "too old" | "too new";
  readonly missing: MadeStore;
  readonly kept: MadeStore;
  /** Contents of their lines, as recovery read them. */
  readonly missingContent: number;
  readonly keptContent: number;
}

export interface JudgedWay {
  readonly violations: readonly OrderViolation[];
  /** Whether no choice of stores is without one: those found last are what the way comes to. */
  readonly isCertain: boolean;
}

/** Undefined where the way is robust. */
export function judgeWay(lines: Iterable<LineOnWay>, threads: number): JudgedWay | undefined {
  const choices = new Choices(threads);
  const violations: OrderViolation[] = [];
  for (const line of lines) {
    const contradicted = line.cuts.filter((cut) => choices.isContradicted(cut));
    const found = contradicted.flatMap((cut) => violationsOf(cut, choices.lines));
    if (!choices.add(line)) return { violations: found, isCertain: true };
    violations.push(...found);
  }
  return violations.length === 0 ? undefined : { violations, isCertain: false };
}

/** Every store that is missing, with the first one that was kept and should have waited for it. */
export function violationsOf(cut: CutBounds, earlier: readonly LineOnWay[]): OrderViolation[] {
  const others = earlier.flatMap(({ cuts }) => cuts).filter((other) => contradict(cut, other));
  const tooOld = cut.missing.flatMap((missing) => {
    const found = others.flatMap((other) => keptInSpite(other, missing) ?? []);
    const [first] = found.sort((a, b) => a.kept.clock - b.kept.clock);
    return first === undefined ? [] : [{ reading: "too old" as const, missing, missingContent: cut.content, ...first }];
  });
  const tooNew = others.flatMap(({ missing: all, content }) =>
    all.flatMap((missing) => {
      const found = keptInSpite(cut, missing);
      return found === undefined ? [] : [{ reading: "too new" as const, missing, missingContent: content, ...found }];
    }),
  );
  return [...tooOld, ...tooNew];
}

/** The first store of the cut that the missing one happens before. */
function keptInSpite({ kept, content }: CutBounds, missing: MadeStore) {
  const later = kept.filter((store) => keptAt(store, missing.thread) >= missingAt(missing));
  const first = later.reduce<MadeStore | undefined>(
    (a, b) => (a === undefined || b.clock < a.clock ? b : a),
    undefined,
  );
  return first && { kept: first, keptContent: content };
}
