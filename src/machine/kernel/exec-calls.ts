/**
 * execve(2): another program in this process. Scripts, `env`, `nice` and bash's only command come to their program so, with no other
 * process. Always: what can be refused is refused before the old program is gone; after that, a failure ends the process.
 */
import { InputError } from "../../base/index.ts";
import { errno } from "../files/index.ts";
import { layout } from "../runtime/index.ts";
import type { Call, Handler, Result } from "./call.ts";
import { PID } from "./process.ts";
import { defaultAction, SIG } from "./signal-numbers.ts";
import { type Invocation, resolveScripts, startProgram, threadName, whyNotRun } from "./start.ts";
import { newThread } from "./threads.ts";

const pointerBytes = 8;
/** MAX_ARG_STRLEN, and the most strings and bytes of them together. */
const mostBytes = { string: 131_072, all: 2_097_152 } as const;

/** Strings behind an array of pointers that a null pointer ends; a negative error number. */
function stringsAt(call: Call, address: number): readonly string[] | number {
  const strings: string[] = [];
  let bytes = 0;
  for (let at = address; address !== 0; at += pointerBytes) {
    const pointer = call.memory.readU64(at);
    if (pointer === undefined) return -errno.EFAULT;
    if (pointer === 0n) break;
    const text = call.text(Number(pointer), mostBytes.string);
    if (typeof text === "number") return text === -errno.ENAMETOOLONG ? -errno.E2BIG : text;
    bytes += text.length + 1 + pointerBytes;
    if (bytes > mostBytes.all) return -errno.E2BIG;
    strings.push(text);
  }
  return strings;
}

function execve(call: Call): Result {
  if (call.process.livingThreads.length > 1) {
    call.process.noticeUnsupported("execve", "another program takes the place of one thread, not of several");
    return -errno.ENOSYS;
  }
  return call.withPath(0, (path) => {
    const argv = stringsAt(call, call.size(1));
    if (typeof argv === "number") return argv;
    const environment = stringsAt(call, call.size(2));
    if (typeof environment === "number") return environment;
    // Linux gives a program at least one argument, its name.
    const asked: Invocation = { path, argv: argv.length === 0 ? [""] : argv, environment };
    const found = resolveScripts(call.files, asked);
    if (typeof found === "number") return found;
    const refused = whyNotRun(call.files, found.path);
    return refused < 0 ? refused : replaceBy(call, found, threadName(path));
  });
}

const ignored = 1n;

/** `name`: that of the script, where it is one. */
function replaceBy({ process, thread }: Call, invocation: Invocation, name: string): Result {
  const { state, space, files } = process;
  const { mask, pending, instructions } = thread;
  space.unmap(layout.guestStart, layout.guestEnd - layout.guestStart);
  files.closeRange(0, 0xffff_ffff, true);
  state.actions = state.actions.map((action) => (action.handler === ignored ? action : defaultAction));
  state.posixTimers = [];
  try {
    startProgram(process, invocation);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    process.notice(error.message);
    const [signal, site] = [SIG.KILL, "execve"];
    state.outcome = { kind: "signal", signal, name: "SIGKILL", tid: PID, rip: 0, site, address: undefined };
    return { kind: "as-is" };
  }
  state.threads = [{ ...newThread(PID, process.cpu.save(), name), mask, pending, instructions }];
  state.current = PID;
  process.hooks.returned?.(PID, "execve", 0n);
  return { kind: "as-is" };
}

export const execCalls = { execve } as const satisfies Record<string, Handler>;
