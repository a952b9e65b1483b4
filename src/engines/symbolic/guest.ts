/** What the parts of symbolic execution share while one path runs: the machine, the shadow beside it, and the path's conditions. */
import { gprs, type Register } from "../../isa/ir/index.ts";
import type { Machine, MachinePort } from "../../machine/index.ts";
import type { Term, Terms } from "../../smt/index.ts";
import type { Path } from "./path.ts";
import type { Shadow } from "./shadow.ts";

export interface Guest {
  readonly terms: Terms;
  readonly machine: Machine;
  readonly port: MachinePort;
  /** Of the path that runs now. */
  shadow: Shadow;
  path: Path;
  /** Whether machine and shadow stand where the block begins that is evaluated now. */
  stands: boolean;
}

/** By x86's numbers. */
export const register = { rax: 0, rcx: 1, rdx: 2, rbx: 3, rsi: 6, rdi: 7, r8: 8, r9: 9, r10: 10, r11: 11 } as const;
export type RegisterName = keyof typeof register;
export const registerOf = (name: RegisterName): Register => gprs[register[name]]!;

export const bitsIn = ({ port }: Guest, name: RegisterName): bigint => port.get(registerOf(name));
export const termIn = ({ port, shadow }: Guest, name: RegisterName): Term | undefined =>
  shadow.register(port.thread, registerOf(name));

/** Registers hold what they hold now, from here on. */
export function fixRegisters(guest: Guest, names: readonly RegisterName[]): void {
  for (const name of names) guest.path.fix({ bits: bitsIn(guest, name), term: termIn(guest, name) });
  clearRegisters(guest, names);
}

/** Something was put there that is the same for all inputs. */
export function clearRegisters({ port, shadow }: Guest, names: readonly RegisterName[]): void {
  for (const name of names) shadow.setRegister(port.thread, registerOf(name), undefined);
}

/** All that a thread's registers and flags hold. */
export function fixThread(guest: Guest, tid: number): void {
  const { shadow, path } = guest;
  const thread = shadow.threads.get(tid);
  if (thread === undefined) return;
  const { flags } = thread;
  const noted =
    flags === undefined ? [] : [flags.left, flags.right, flags.result, ...(flags.carry ? [flags.carry] : [])];
  for (const term of thread.registers.values()) path.fix({ bits: path.worth(term), term });
  for (const value of noted) path.fix(value);
  shadow.clearThread(tid);
}

/** Bytes of memory hold what they hold now, from here on. */
export function fixBytes({ shadow, path }: Guest, address: number, length: number): void {
  for (const [at, term] of shadow.within(address, length)) {
    path.fix({ bits: path.worth(term), term });
    shadow.setByte(at, undefined);
  }
}
