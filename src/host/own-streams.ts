/**
 * Names that lead to descriptors of this process, as /dev/stdout and a shell's <(...) do. Always: only what it was started with is
 * meant; what Node has open for itself is nobody's to name.
 */
import { readFileSync } from "node:fs";
import { InputError, printable } from "../base/index.ts";

const named: Readonly<Record<string, number>> = { "/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2 };
const lastStandard = 2;
/** O_CLOEXEC of Linux: Node marks what it opens with it, and what has it did not come from another program. */
const closedOnExec = 0o2000000;

function isInherited(fd: number): boolean {
  if (fd <= lastStandard) return true;
  try {
    const [, flags = ""] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & closedOnExec) === 0;
  } catch {
    return false;
  }
}

/** The number of a descriptor of ours, by a name that leads to it. */
export function ownStream(file: string): number | undefined {
  const [, digits] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/.exec(file) ?? [];
  const fd = digits === undefined ? named[file] : Number(digits);
  if (fd !== undefined && !isInherited(fd))
    throw new InputError("host/no-stream", `${printable(file)} is nothing that Blackout was given (EBADF).`, { file });
  return fd;
}
