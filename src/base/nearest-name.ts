/** "Did you mean …?": the known name that a mistyped one is nearest to. */

/** How many letters have to be changed, left out or put in (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= b.length; at++) {
      const changed = row[at - 1]! + (letter === b[at - 1] ? 0 : 1);
      next.push(Math.min(changed, row[at]! + 1, next[at - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

const farthest = 2;

/** Of names equally near, the first. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, away: distance(name.toLowerCase(), each) }))
    .filter(({ away, each }) => away <= farthest && away < each.length)
    .sort((a, b) => a.away - b.away);
  return best?.each;
}
