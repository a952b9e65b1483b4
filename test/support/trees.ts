/** A file tree as text, to compare what it was with what it is. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Names, kinds, modes, contents. */
export function treeOf(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return entries
    .sort((left, right) => (left < right ? -1 : 1))
    .map((name) => {
      const path = join(directory, name);
      const stat = lstatSync(path);
      const contents = stat.isFile() ? readFileSync(path, "latin1") : stat.isSymbolicLink() ? readlinkSync(path) : "";
      return `${name} ${stat.mode.toString(8)} ${stat.nlink} ${contents}`;
    });
}
