/** Devices: a row per file of /dev that is a device (Documentation/admin-guide/devices.txt has the numbers). */
import { errno } from "./errno.ts";
import { makeDevice } from "./mounts.ts";
import type { Tree } from "./tree.ts";

export interface Device {
  readonly rdev: number;
  readonly mode: number;
  /** Like read(2): a count or a negative error number. */
  read(tree: Tree, into: Uint8Array): number;
  write(tree: Tree, bytes: Uint8Array): number;
  /** What mmap makes of it. */
  readonly mapping: "zero" | "none";
}

const fillZero = (_tree: Tree, into: Uint8Array): number => {
  into.fill(0);
  return into.length;
};
const fillRandom = (tree: Tree, into: Uint8Array): number => {
  tree.options.random(into);
  return into.length;
};
const swallow = (_tree: Tree, bytes: Uint8Array): number => bytes.length;
const refuse = (_tree: Tree, bytes: Uint8Array): number => (bytes.length === 0 ? 0 : -errno.ENOSPC);
const nothing = (): number => 0;

const row = (
  major: number,
  minor: number,
  read: Device["read"],
  write: Device["write"],
  mapping: Device["mapping"],
): Device => ({ rdev: makeDevice(major, minor), mode: 0o666, read, write, mapping });

// biome-ignore format: columns stay aligned
export const devices: Readonly<Record<string, Device>> = {
  //           major minor  read        write    mmap
  null:    row(1,    3,     nothing,    swallow, "none"),
  zero:    row(1,    5,     fillZero,   swallow, "zero"),
  full:    row(1,    7,     fillZero,   refuse,  "zero"),
  random:  row(1,    8,     fillRandom, swallow, "none"),
  urandom: row(1,    9,     fillRandom, swallow, "none"),
  // The controlling terminal: opening it leads to the terminal among the standard streams, or fails.
  tty:     row(5,    0,     nothing,    swallow, "none"),
};

export const deviceOf = (name: string): Device => devices[name] as Device;
