/** Absolute paths as the guest and POSIX write them, without a look at any disk. */

/** `path` as seen from `directory`, which is absolute: no `.`, no `..`, no doubled slash. */
export function resolvePath(directory: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${directory}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** A guest's path where its root lies at `root` on the host; it cannot lead out of there by `..`. */
export const belowRoot = (root: string, path: string): string =>
  root === "/" ? resolvePath("/", path) : resolvePath("/", `${root}/${resolvePath("/", path)}`);

/** Whether a path is that of a directory or of something below it. */
export const isBelow = (path: string, directory: string): boolean =>
  directory === "/" || path === directory || (path.startsWith(directory) && path[directory.length] === "/");

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
