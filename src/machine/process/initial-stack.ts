/**
 * The stack a program starts on: strings at the top, then the auxiliary vector, environment, arguments and their count
 * (System V ABI for x86-64, figure 3.9; the order of the strings is Linux's).
 */

import { bytesOf, textFromPath } from "../files/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { layout, pageSize } from "../runtime/index.ts";
import type { AddressSpace } from "./address-space.ts";
import * as errors from "./errors.ts";
import type { LoadedProgram } from "./loader.ts";

export const STACK_BYTES = 8 << 20;
/** What Linux allows: a quarter of the stack. */
const STRINGS_LIMIT = STACK_BYTES / 4;

/** Entry types of the auxiliary vector (getauxval(3)). */
// biome-ignore format: columns stay aligned
const AUX = {
  NULL: 0, PHDR: 3, PHENT: 4, PHNUM: 5, PAGESZ: 6, BASE: 7, FLAGS: 8, ENTRY: 9, UID: 11, EUID: 12, GID: 13, EGID: 14,
  PLATFORM: 15, HWCAP: 16, CLKTCK: 17, SECURE: 23, RANDOM: 25, HWCAP2: 26, EXECFN: 31, MINSIGSTKSZ: 51,
} as const;

export interface StackInputs {
  readonly program: LoadedProgram;
  /** As the user named it. */
  readonly path: string;
  readonly argv: readonly string[];
  readonly environment: readonly string[];
  /** Sixteen bytes. */
  readonly random: Uint8Array;
  readonly hwcap: number;
  readonly hwcap2: number;
  readonly uid: number;
  readonly gid: number;
  readonly minimumSignalStack: number;
}

export interface BuiltStack {
  readonly rsp: number;
  readonly auxiliary: Uint8Array;
}

const encode = (text: string): Uint8Array => bytesOf(`${text}\0`);

export function buildStack(memory: GuestMemory, space: AddressSpace, inputs: StackInputs): BuiltStack {
  const { program, argv, environment } = inputs;
  const strings = [...argv, ...environment, inputs.path];
  const size = strings.reduce((sum, text) => sum + text.length + 1 + 8, 0);
  if (size > STRINGS_LIMIT) throw errors.argumentsTooLong(size, STRINGS_LIMIT);

  const top = layout.guestEnd - pageSize;
  const protection = program.executableStack ? 7 : 3;
  const start = top - STACK_BYTES;
  const mapped = space.map({ address: start, length: STACK_BYTES, protection, fixed: "replace", name: "[stack]" });
  if (mapped < 0) throw errors.tooMuchMemory(textFromPath(inputs.path));

  // The topmost page stays empty: a page is read without a slow path only if the one after it is readable too.
  let at = top - pageSize - 8;
  const push = (bytes: Uint8Array): number => {
    at -= bytes.length;
    memory.load(at, bytes);
    return at;
  };
  const execFn = push(encode(inputs.path));
  const environmentAt = environment.toReversed().map((text) => push(encode(text)));
  const argumentsAt = argv.toReversed().map((text) => push(encode(text)));
  at -= at % 16;
  const platform = push(encode("x86_64"));
  const random = push(inputs.random);
  at -= at % 16;

  const auxiliary = auxiliaryVector(inputs, { execFn, platform, random });
  const words = [argv.length, ...argumentsAt.toReversed(), 0, ...environmentAt.toReversed(), 0, ...auxiliary];
  at -= words.length * 8;
  at -= at % 16;
  memory.load(at, quadwords(words));
  return { rsp: at, auxiliary: quadwords(auxiliary) };
}

function auxiliaryVector(inputs: StackInputs, at: { execFn: number; platform: number; random: number }): number[] {
  const { program, uid, gid } = inputs;
  return [
    [AUX.HWCAP, inputs.hwcap],
    [AUX.PAGESZ, pageSize],
    [AUX.CLKTCK, 100],
    [AUX.PHDR, program.headers],
    [AUX.PHENT, program.headerSize],
    [AUX.PHNUM, program.headerCount],
    [AUX.BASE, program.interpreterBase],
    [AUX.FLAGS, 0],
    [AUX.ENTRY, program.entry],
    [AUX.UID, uid],
    [AUX.EUID, uid],
    [AUX.GID, gid],
    [AUX.EGID, gid],
    [AUX.SECURE, 0],
    [AUX.RANDOM, at.random],
    [AUX.HWCAP2, inputs.hwcap2],
    [AUX.EXECFN, at.execFn],
    [AUX.PLATFORM, at.platform],
    [AUX.MINSIGSTKSZ, inputs.minimumSignalStack],
    [AUX.NULL, 0],
  ].flat();
}

function quadwords(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 8);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => {
    view.setBigUint64(index * 8, BigInt(value), true);
  });
  return bytes;
}
