/** Unified diffs, as `git apply` and `patch` take them. Lines are compared whole (Myers, An O(ND) Difference Algorithm). */

const CONTEXT = 3;

interface Change {
  readonly kind: " " | "-" | "+";
  readonly text: string;
}

/** Empty where nothing changed. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const changes = compareLines(linesOf(before), linesOf(after));
  const hunks = hunksOf(changes);
  if (hunks.length === 0) return "";
  return [`--- a/${path}\n+++ b/${path}\n`, ...hunks].join("");
}

/** With their ends, so that a last line without one is told apart. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function compareLines(a: readonly string[], b: readonly string[]): readonly Change[] {
  const rounds = shortestEdit(a, b);
  const changes: Change[] = [];
  let [x, y] = [a.length, b.length];
  for (let round = rounds.length - 1; round >= 0; round--) {
    const furthest = rounds[round]!;
    const diagonal = x - y;
    const isDown = goesDown(furthest, diagonal, round);
    const previous = isDown ? diagonal + 1 : diagonal - 1;
    const fromX = round === 0 ? 0 : furthest.get(previous)!;
    const fromY = round === 0 ? 0 : fromX - previous;
    for (; x > fromX && y > fromY; x--, y--) changes.push({ kind: " ", text: a[x - 1]! });
    if (round === 0) break;
    changes.push(isDown ? { kind: "+", text: b[fromY]! } : { kind: "-", text: a[fromX]! });
    [x, y] = [fromX, fromY];
  }
  return changes.reverse();
}

const goesDown = (furthest: ReadonlyMap<number, number>, diagonal: number, round: number): boolean =>
  diagonal === -round ||
  (diagonal !== round && (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1));

/** Before each round, how far each diagonal had come. */
function shortestEdit(a: readonly string[], b: readonly string[]): readonly ReadonlyMap<number, number>[] {
  const furthest = new Map<number, number>([[1, 0]]);
  const rounds: ReadonlyMap<number, number>[] = [];
  for (let round = 0; ; round++) {
    rounds.push(new Map(furthest));
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      let x = goesDown(furthest, diagonal, round) ? furthest.get(diagonal + 1)! : furthest.get(diagonal - 1)! + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      furthest.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return rounds;
    }
  }
}

function hunksOf(changes: readonly Change[]): readonly string[] {
  const changed = changes.flatMap(({ kind }, index) => (kind === " " ? [] : [index]));
  const ranges: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last !== undefined && index - CONTEXT <= last.to + CONTEXT + 1) last.to = index;
    else ranges.push({ from: index, to: index });
  }
  return ranges.map(({ from, to }) =>
    hunk(changes, Math.max(0, from - CONTEXT), Math.min(changes.length, to + CONTEXT + 1)),
  );
}

function hunk(changes: readonly Change[], from: number, to: number): string {
  const count = (part: readonly Change[], kind: "-" | "+") =>
    part.filter((one) => one.kind === " " || one.kind === kind).length;
  const [head, body] = [changes.slice(0, from), changes.slice(from, to)];
  const range = (kind: "-" | "+") => {
    const lines = count(body, kind);
    return `${count(head, kind) + (lines === 0 ? 0 : 1)},${lines}`;
  };
  const text = body.map(
    (one) => one.kind + (one.text.endsWith("\n") ? one.text : `${one.text}\n\\ No newline at end of file\n`),
  );
  return `@@ -${range("-")} +${range("+")} @@\n${text.join("")}`;
}
