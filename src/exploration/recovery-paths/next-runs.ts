/** The next runs that a walk through a tree of recoveries asks for, as a unit of work. */

/** Questions that are walked before others get their turn. */
const walkedAtOnce = 20_000_000;

/**
 * Takes steps of the walk until there are enough runs; `runs` are there already. A step gives the runs that it asks for, or undefined
 * when nothing is left but to wait.
 */
export function nextRuns<Run>(
  most: number,
  runs: Run[],
  walker: { readonly walked: number },
  step: () => readonly Run[] | undefined,
): { readonly runs: readonly Run[] } | undefined {
  const { walked } = walker;
  while (runs.length < most) {
    const more = step();
    if (more === undefined) break;
    runs.push(...more);
    if (walker.walked - walked > walkedAtOnce) return { runs };
  }
  return runs.length === 0 ? undefined : { runs };
}
