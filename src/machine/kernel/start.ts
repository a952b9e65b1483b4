/**
 * A program in place of what is there: when a machine boots, and for execve(2). Always: a script is what its first line names
 * (`#!`), with the script as an argument, up to five times over; whose fault a refusal is, the caller says.
 */
import { InputError } from "../../base/index.ts";
import { readElf } from "../../program/elf/index.ts";
import { AT, errno, type GuestFiles, type InodeId, S, textFromPath } from "../files/index.ts";
import { buildStack, gpr, loadProgram } from "../process/index.ts";
import { minimumSignalStack } from "./frame.ts";
import type { Process } from "./process.ts";

/** Strings are byte strings: a character per byte. */
export interface Invocation {
  readonly path: string;
  readonly argv: readonly string[];
  readonly environment: readonly string[];
}

const mostScripts = 5;
/** What of a script's first line counts (BINPRM_BUF_SIZE). */
const mostLetters = 256;
const executable = 1;

/** What is really run: a negative error number where nothing can be. */
export function resolveScripts(files: GuestFiles, invocation: Invocation): Invocation | number {
  let { path, argv } = invocation;
  for (let depth = 0; depth <= mostScripts; depth++) {
    const bytes = programBytes(files, path);
    if (typeof bytes === "number") return bytes;
    const line = scriptLine(bytes);
    if (line === undefined) return { ...invocation, path, argv };
    const [, interpreter, argument] = /^[ \t]*([^ \t]+)(?:[ \t]+(.*?))?[ \t]*$/.exec(line) ?? [];
    if (interpreter === undefined) return -errno.ENOEXEC;
    argv = [interpreter, ...(argument ? [argument] : []), path, ...argv.slice(1)];
    path = interpreter;
  }
  return -errno.ELOOP;
}

function programBytes(files: GuestFiles, path: string): Uint8Array | number {
  const inode = files.lookup(path);
  if (inode < 0) return inode;
  if ((files.statOf(inode as InodeId).mode & S.IFMT) !== S.IFREG) return -errno.EACCES;
  if (files.access(AT.FDCWD, path, executable, 0) < 0) return -errno.EACCES;
  return files.readFile(path);
}

/** The first line behind `#!`. */
function scriptLine(bytes: Uint8Array): string | undefined {
  const text = String.fromCharCode(...bytes.subarray(0, mostLetters));
  return text.startsWith("#!") ? text.slice(2).split("\n")[0] : undefined;
}

/** Whether it can be run at all, as far as that is known before what is there goes away. */
export function whyNotRun(files: GuestFiles, path: string): number {
  const bytes = programBytes(files, path);
  if (typeof bytes === "number") return bytes;
  try {
    const { interpreter } = readElf(bytes, textFromPath(path));
    return interpreter === undefined ? 0 : Math.min(0, files.lookup(interpreter));
  } catch (error) {
    if (error instanceof InputError) return -errno.ENOEXEC;
    throw error;
  }
}

/** Into memory that is empty. Throws InputError. */
export function startProgram(
  process: Process,
  { path, argv, environment }: Invocation,
): { readonly isDynamic: boolean } {
  const { memory, space, options, cpu } = process;
  const program = loadProgram({ memory, space, files: process.files }, path);
  const random = new Uint8Array(16);
  process.fillRandom(random);
  const { hwcap, hwcap2, uid, gid } = options;
  const inputs = { program, path, argv, environment, random, hwcap, hwcap2, uid, gid };
  const stack = buildStack(memory, space, {
    ...inputs,
    minimumSignalStack: minimumSignalStack(options.extendedState),
  });
  cpu.clear();
  if (program.asksForFloatFlags) cpu.keepFloatFlags();
  cpu.rip = BigInt(program.start);
  cpu.setGpr(gpr.rsp, BigInt(stack.rsp));
  process.state.program = { executable: program.executable, argv, environment, auxiliary: stack.auxiliary };
  return { isDynamic: program.interpreterBase !== 0 };
}

/** What a thread is called that runs it. */
export const threadName = (path: string): string => path.slice(path.lastIndexOf("/") + 1).slice(0, 15);
