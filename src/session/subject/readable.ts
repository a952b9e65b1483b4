/** The host's files as far as a program may see them. */
import {
  belowRoot,
  type HostFiles,
  type HostPorts,
  InputError,
  libraryFolders,
  ReadableFiles,
  resolvePath,
} from "../../base/index.ts";
import { pathFromText } from "../../machine/index.ts";
import type { ProgramOptions } from "./options.ts";

/** All files if nothing was said; else what was given, the program's own file, and the system's libraries. */
export function readableFiles(options: ProgramOptions, root: string, program: string, ports: HostPorts): HostFiles {
  const { readable = [], grants = [], directory } = options;
  if (readable.length === 0) return ports.files;
  const placed = [...readable, ...grants].map((folder) => belowRoot(root, resolvePath(directory, folder)));
  const given = placed.map((path) => {
    const real = ports.realPath(path);
    if (real === undefined)
      throw new InputError("program/readable", `There is no ${path} to be read: give --read a directory that exists.`, {
        path,
      });
    return real;
  });
  for (const path of given) ports.files.hold(pathFromText(path));
  const libraries = libraryFolders.map((folder) => belowRoot(root, folder));
  const shown = [...given, program, ports.realPath(program) ?? program, ...libraries].map(pathFromText);
  return new ReadableFiles(ports.files, shown, [...placed, root === "/" ? directory : root].map(pathFromText));
}
