/**
 * Which parts of files lie where, by file, whatever the permissions: neighbouring areas that show a file through are one
 * view, however often mprotect cut them. Always:
 * - The views of a file are sorted by address, and no two that could be one are two.
 * - They are those of the areas they were last asked about: kept up to date change by change, made anew after a restore.
 */
import type { InodeId } from "../files/index.ts";
import { type Area, type Areas, listAreas } from "./areas.ts";

export interface FileView {
  readonly start: number;
  readonly end: number;
  readonly shared: boolean;
  /** In the file, of `start`. */
  readonly offset: number;
}

const joins = (left: FileView, right: FileView): boolean =>
  left.end === right.start && left.shared === right.shared && right.offset - left.offset === right.start - left.start;

/** Index of the first view that ends after `address`. */
function firstAfter(views: readonly FileView[], address: number): number {
  let [low, high] = [0, views.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (views[middle]!.end > address) high = middle;
    else low = middle + 1;
  }
  return low;
}

export class FileViews {
  /** Whose views these are. */
  #areas: Areas | undefined;
  readonly #byFile = new Map<InodeId, FileView[]>();

  of(areas: Areas, inode: InodeId): readonly FileView[] {
    if (this.#areas !== areas) this.#begin(areas);
    return this.#byFile.get(inode) ?? [];
  }

  /** The areas became others, by nothing but permissions. */
  protected(before: Areas, after: Areas): void {
    if (this.#areas === before) this.#areas = after;
  }

  /** A range became this area, or empty; `gone` lay there. */
  replaced(before: Areas, after: Areas, gone: readonly Area[], area?: Area): void {
    if (this.#areas !== before) return;
    this.#areas = after;
    for (const piece of gone) this.#remove(piece);
    if (area !== undefined) this.#add(area);
  }

  #begin(areas: Areas): void {
    this.#byFile.clear();
    for (const area of listAreas(areas)) this.#add(area);
    this.#areas = areas;
  }

  #add({ start, end, shared, file }: Area): void {
    if (file === undefined) return;
    const views = this.#byFile.get(file.inode) ?? [];
    this.#byFile.set(file.inode, views);
    const view = { start, end, shared, offset: file.offset };
    const at = firstAfter(views, start);
    const [before, after] = [views[at - 1], views[at]];
    const joinsBefore = before !== undefined && joins(before, view);
    const joinsAfter = after !== undefined && joins(view, after);
    const whole = {
      ...(joinsBefore ? before : view),
      end: joinsAfter ? after.end : view.end,
    };
    views.splice(joinsBefore ? at - 1 : at, (joinsBefore ? 1 : 0) + (joinsAfter ? 1 : 0), whole);
  }

  #remove({ start, end, file }: Area): void {
    const views = file && this.#byFile.get(file.inode);
    if (views === undefined) return;
    const at = firstAfter(views, start);
    const view = views[at]!;
    const rest = [
      { ...view, end: start },
      { ...view, start: end, offset: view.offset + (end - view.start) },
    ];
    views.splice(at, 1, ...rest.filter((part) => part.start < part.end));
    if (views.length === 0) this.#byFile.delete(file!.inode);
  }
}
