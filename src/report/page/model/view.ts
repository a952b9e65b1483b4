/** The part of a timeline in sight: how wide a column is, and where the first one lies. Always within the timeline. */
export interface View {
  /** Pixels a column. */
  readonly scale: number;
  /** Columns left of the left edge. */
  readonly start: number;
}

export const widestColumn = 44;

/** All of it, if that is not too wide. */
export const wholeView = (columns: number, width: number): View => ({
  scale: Math.min(widestColumn, width / Math.max(1, columns)),
  start: 0,
});

/** A column must be so wide for its event to be made out. */
const clearColumn = 12;

/** All of it where its events can be made out then, else the part around one of them. */
export function firstView(columns: number, width: number, column: number): View {
  const whole = wholeView(columns, width);
  if (whole.scale >= clearColumn / 2) return whole;
  return within({ scale: clearColumn, start: column - (width / clearColumn) * 0.8 }, columns, width);
}

function within({ scale, start }: View, columns: number, width: number): View {
  const narrowest = Math.min(widestColumn, width / Math.max(1, columns));
  const held = Math.min(widestColumn, Math.max(narrowest, scale));
  return { scale: held, start: Math.max(0, Math.min(start, columns - width / held)) };
}

/** Closer or farther, with what lies under a pixel staying there. */
export function zoomed(view: View, factor: number, pixel: number, columns: number, width: number): View {
  const column = view.start + pixel / view.scale;
  const { scale } = within({ scale: view.scale * factor, start: view.start }, columns, width);
  return within({ scale, start: column - pixel / scale }, columns, width);
}

export const moved = (view: View, pixels: number, columns: number, width: number): View =>
  within({ scale: view.scale, start: view.start + pixels / view.scale }, columns, width);

/** Moved as little as needed for a column to be in sight, with some of its neighbours. */
export function showing(view: View, column: number, columns: number, width: number): View {
  const margin = Math.min(3, width / view.scale / 4);
  const seen = width / view.scale;
  if (column - margin < view.start) return within({ ...view, start: column - margin }, columns, width);
  if (column + 1 + margin > view.start + seen)
    return within({ ...view, start: column + 1 + margin - seen }, columns, width);
  return within(view, columns, width);
}
