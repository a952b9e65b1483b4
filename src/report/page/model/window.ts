/** Which rows of a long list are drawn: those in sight and a few around them. */
export interface Rows {
  readonly count: number;
  readonly rowHeight: number;
}

/** Rows drawn beyond each edge, so that scrolling a little shows no gap. */
const beyond = 6;

/** From the first row to before the second number. */
export function rowsInSight({ count, rowHeight }: Rows, scrollTop: number, height: number): [from: number, to: number] {
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - beyond);
  const to = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + beyond);
  return [Math.min(from, count), Math.max(to, Math.min(from, count))];
}

/** Where to scroll so that a row is in sight, moving as little as possible. */
export function scrollTo({ rowHeight }: Rows, row: number, scrollTop: number, height: number): number {
  if (row * rowHeight < scrollTop) return row * rowHeight;
  return Math.max(scrollTop, (row + 1) * rowHeight - height);
}

/** Where a key leads in a list; undefined for a key that leads nowhere. */
export function rowAfterKey(key: string, row: number, count: number, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  };
  const step = steps[key];
  return step === undefined || count === 0 ? undefined : Math.min(count - 1, Math.max(0, row + step));
}
