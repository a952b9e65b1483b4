/** The system call table: a row for every number Linux knows, supported or with the reason why not. */
import { attributeCalls } from "./attribute-calls.ts";
import type { Handler } from "./call.ts";
import { execCalls } from "./exec-calls.ts";
import { fileCalls } from "./file-calls.ts";
import { infoCalls } from "./info-calls.ts";
import { memoryCalls } from "./memory-calls.ts";
import { type SyscallName, syscallNumbers } from "./numbers.ts";
import { pollCalls } from "./poll-calls.ts";
import { signalCalls } from "./signal-calls.ts";
import { socketCalls } from "./socket-calls.ts";
import { threadCalls } from "./thread-calls.ts";
import { timeCalls } from "./time-calls.ts";
import { timerCalls } from "./timer-calls.ts";
import { transferCalls } from "./transfer-calls.ts";
import { type UnsupportedName, unsupported } from "./unsupported.ts";

/** `satisfies` turns a call without a row, or with two, into a compile error. */
const supported = {
  ...memoryCalls,
  ...transferCalls,
  ...fileCalls,
  ...attributeCalls,
  ...infoCalls,
  ...timeCalls,
  ...timerCalls,
  ...signalCalls,
  ...threadCalls,
  ...execCalls,
  ...pollCalls,
  ...socketCalls,
} satisfies Record<Exclude<SyscallName, UnsupportedName>, Handler>;

export type Row = { readonly number: number; readonly name: SyscallName } & (
  | { readonly run: Handler }
  | { readonly unsupported: string }
);

const handlers: Readonly<Partial<Record<SyscallName, Handler>>> = supported;

export const syscallTable: readonly Row[] = (Object.keys(syscallNumbers) as SyscallName[]).map((name) => {
  const number = syscallNumbers[name];
  const run = handlers[name];
  return run === undefined
    ? { number, name, unsupported: unsupported[name as UnsupportedName] }
    : { number, name, run };
});

const byNumber = new Map(syscallTable.map((row) => [row.number, row]));

export const rowOf = (number: number): Row | undefined => byNumber.get(number);
