/** Whether two moments of one tree have the same files, whoever holds them open or mapped. */
import type { FilesSnapshot } from "./api.ts";
import type { Inode } from "./state.ts";
import { differingKeys, get } from "./versions.ts";

/** What opening, mapping and reading a file changes of it; pages are compared one by one. */
const notOfTheFile: ReadonlySet<string> = new Set(["epoch", "holders", "mappings", "accessed", "pages"]);

export const isSameTree = (before: FilesSnapshot, after: FilesSnapshot): boolean =>
  differingKeys(before.inodes, after.inodes).every((id) => isSameFile(get(before.inodes, id), get(after.inodes, id)));

function isSameFile(before: Inode | undefined, after: Inode | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  const fields = Object.keys(after) as (keyof Inode)[];
  return (
    hasSamePages(before, after) && fields.every((field) => before[field] === after[field] || notOfTheFile.has(field))
  );
}

const hasSamePages = (before: Inode, after: Inode): boolean =>
  before.kind !== "file" || after.kind !== "file" || differingKeys(before.pages, after.pages).length === 0;
