/** Two lists of lines: undefined if they are equal, else the lines that only one of them has, a few of them. */
const shownLines = 12;

/** What is left of two lists without the lines they begin and end with alike. */
function middles(old: readonly string[], fresh: readonly string[]) {
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - start;
  while (end < most && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  return { start, old: old.slice(start, old.length - end), fresh: fresh.slice(start, fresh.length - end) };
}

const shown = (sign: string, lines: readonly string[]): readonly string[] => [
  ...lines.slice(0, shownLines).map((line) => `${sign} ${line}`),
  ...(lines.length > shownLines ? [`${sign} and ${lines.length - shownLines} more lines`] : []),
];

export function difference(old: readonly string[], fresh: readonly string[]): string | undefined {
  const middle = middles(old, fresh);
  if (middle.old.length === 0 && middle.fresh.length === 0) return undefined;
  return [`@ line ${middle.start + 1}`, ...shown("-", middle.old), ...shown("+", middle.fresh)].join("\n");
}
