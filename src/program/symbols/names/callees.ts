/** Which function a call calls, by name, and which of its arguments says where it stores. */
import type { Block, Op, Value as OpValue } from "../../../isa/ir/index.ts";
import { liftBlock } from "../../../isa/lift/index.ts";
import type { DebugFile } from "../debug-file.ts";

const MAX_STUB = 32;

/** The name of what a block that ends with a call, or with a jump to another function, goes to. */
export function calleeOf(file: DebugFile, { ops, exit }: Block): string | undefined {
  if (exit.kind === "call") {
    if (exit.known !== undefined) return nameAt(file, exit.known);
    return exit.target === undefined ? undefined : importBehind(file, ops, exit.target);
  }
  return exit.kind === "jump" ? importBehind(file, ops, exit.target) : undefined;
}

/** A function of the file's own, or the one that a stub of the procedure linkage table jumps to. */
function nameAt(file: DebugFile, address: number): string | undefined {
  const stub = liftBlock(file.code.bytes(address, MAX_STUB), address);
  const imported = stub?.exit.kind === "jump" ? importBehind(file, stub.ops, stub.exit.target) : undefined;
  return imported ?? file.symbolizer.functionAt(address)?.name;
}

/** The symbol in the slot that a target is loaded from. */
function importBehind(file: DebugFile, ops: readonly Op[], target: OpValue): string | undefined {
  const load = ops[target];
  const slot = load?.kind === "load" ? ops[load.address] : undefined;
  return slot?.kind === "const" ? file.importAt(Number(slot.value)) : undefined;
}

/**
 * The argument that points to what a library function stores, counted from 0; its length, where one says it. Stores that
 * such a function makes elsewhere (logs, buffers of its own) do not lie in that range.
 */
export interface Destination {
  readonly pointer: number;
  readonly length: number | undefined;
}

const to = (pointer: number, length?: number): Destination => ({ pointer, length });

// biome-ignore format: one row for each family
const rows: readonly (readonly [RegExp, Destination])[] = [
  [/^(__)?(mem(cpy|move|set|pcpy|ccpy)|bcopy)(_chk)?$/,                   to(0, 2)],
  [/^(__)?(strn?cpy|stpn?cpy|strn?cat|strlcpy)(_chk)?$/,                  to(0)],
  [/^(__)?(v?sn?printf)(_chk)?$/,                                        to(0)],
  [/^pmem_(memcpy|memmove|memset)(_persist|_nodrain)?$/,                 to(0, 2)],
  [/^pmem2?_mem(cpy|move|set)_fn$/,                                      to(0, 2)],
  [/^pmemobj_(memcpy|memmove|memset)(_persist)?$/,                       to(1, 3)],
  [/^(__)?(read|pread|pread64|recv)(_chk)?$/,                            to(1, 2)],
  [/^(__)?(fread|fgets|fread_unlocked)(_chk)?$/,                         to(0)],
];

export const destinationOf = (callee: string): Destination | undefined =>
  rows.find(([pattern]) => pattern.test(callee))?.[1];
