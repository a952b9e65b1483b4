/**
 * Delta debugging (Zeller and Hildebrandt's ddmin): a small part of `items` that still fails, of which nothing can be left
 * out. The whole must fail.
 */
export function smallestFailing<T>(items: readonly T[], fails: (part: readonly T[]) => boolean): readonly T[] {
  if (fails([])) return [];
  let failing = items;
  for (let parts = 2; failing.length > 1; ) {
    const size = Math.ceil(failing.length / parts);
    const smaller = without(failing, size, fails);
    if (smaller !== undefined) {
      failing = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) break;
    else parts = Math.min(failing.length, parts * 2);
  }
  return failing;
}

/** The items without one stretch of them, if that still fails. */
function without<T>(
  items: readonly T[],
  size: number,
  fails: (part: readonly T[]) => boolean,
): readonly T[] | undefined {
  for (let at = 0; at < items.length; at += size) {
    const rest = [...items.slice(0, at), ...items.slice(at + size)];
    if (fails(rest)) return rest;
  }
  return undefined;
}
