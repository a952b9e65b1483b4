/** What can be wrong with the program a user names, once its file is well-formed: one function per message. */
import { InputError } from "../../base/index.ts";
import { errno, errnoName, textFromPath } from "../files/index.ts";

const reasons: Readonly<Record<number, string>> = {
  [errno.ENOENT]: "does not exist",
  [errno.ENOTDIR]: "cannot be reached: part of its path is not a directory",
  [errno.EACCES]: "may not be read: permission denied",
  [errno.EPERM]: "may not be read: permission denied",
  [errno.ELOOP]: "cannot be reached: too many symbolic links",
  [errno.ENAMETOOLONG]: "cannot be reached: its path is too long",
  [errno.EISDIR]: "is a directory, not a program",
  [errno.ENXIO]: "is not a regular file",
  [errno.EFBIG]: "is too large: programs and libraries of up to 2 GiB can be loaded",
};

/** What a sentence is about, as it stands in it: the machine has paths as bytes, a letter for each. */
const named = textFromPath;

export const unreadable = (bytes: string, result: number) => {
  const path = named(bytes);
  const says = reasons[-result] ?? `cannot be read (${errnoName(result)})`;
  return new InputError("program/unreadable", `${path} ${says}.`, { path, error: errnoName(result) });
};

export const isDirectory = (bytes: string) => {
  const path = named(bytes);
  return new InputError("program/directory", `${path} is a directory, not a program.`, { path });
};

export const notRegular = (bytes: string) => {
  const path = named(bytes);
  return new InputError("program/not-regular", `${path} is not a regular file, so it cannot be run.`, { path });
};

export const notExecutable = (bytes: string) => {
  const path = named(bytes);
  const advice = "set its execute permission with chmod +x";
  return new InputError("program/not-executable", `${path} may not be executed; ${advice}.`, { path });
};

export const missingInterpreter = (program: string, bytes: string, result: number) => {
  const [path, interpreter] = [named(program), named(bytes)];
  const says = reasons[-result] ?? `cannot be read (${errnoName(result)})`;
  return new InputError(
    "program/missing-interpreter",
    `${path} needs the program interpreter ${interpreter}, which ${says} in the guest's file tree; install it or name another tree with --root.`,
    { path, interpreter, error: errnoName(result) },
  );
};

export const nestedInterpreter = (program: string, bytes: string) => {
  const [path, interpreter] = [named(program), named(bytes)];
  return new InputError(
    "program/nested-interpreter",
    `${path} names ${interpreter} as its program interpreter, but that one asks for an interpreter itself.`,
    { path, interpreter },
  );
};

export const doesNotFit = (path: string, start: number, end: number) =>
  new InputError(
    "program/does-not-fit",
    `${path} wants the addresses 0x${start.toString(16)} to 0x${end.toString(16)}, which do not fit the machine's 4 GiB of memory; link it at lower addresses or as a position-independent program.`,
    { path, start, end },
  );

export const tooMuchMemory = (path: string) =>
  new InputError("program/too-much-memory", `${path} does not fit the guest's memory limit; raise the limit.`, {
    path,
  });

export const argumentsTooLong = (bytes: number, limit: number) =>
  new InputError(
    "program/arguments-too-long",
    `The arguments and the environment take ${bytes} bytes; at most ${limit} fit the guest's stack.`,
    { bytes, limit },
  );
