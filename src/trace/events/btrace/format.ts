/**
 * The .btrace file: a magic number, a version, then blocks of tag, length, checksum and payload, the last of them `DONE`.
 * docs/btrace.md describes it byte by byte. Always: numbers are little-endian; a block is never larger than `maxBlock`.
 */
import { InputError } from "../../../base/index.ts";
import type { Frame } from "../frame.ts";

export const magic = Uint8Array.of(0x89, 0x42, 0x54, 0x52, 0x41, 0x43, 0x45, 0x0a);
export const version = 2;
export const fileHeaderBytes = 16;
export const blockHeaderBytes = 12;
export const maxBlock = 1 << 26;

export const blockTags = ["INFO", "CTXT", "TEXT", "SITE", "EVNT", "DONE"] as const;
export type BlockTag = (typeof blockTags)[number];

/** What the file says about the run, all of it optional: reports show it. */
export interface TraceInfo {
  readonly command?: readonly string[];
  readonly seed?: number;
  /** How the program ended, in words. */
  readonly outcome?: string;
}

export interface NamedSite {
  readonly site: number;
  readonly frames: readonly Frame[];
}

/** Bytes of a file, wherever they lie. */
export interface ByteSource {
  readonly name: string;
  readonly size: number;
  read(offset: number, into: Uint8Array): void;
}

export interface ByteTarget {
  write(bytes: Uint8Array): void;
}

const damaged =
  (code: string) =>
  (name: string, what: string, facts: Readonly<Record<string, unknown>> = {}) =>
    new InputError(code, `${name} ${what}`, { name, ...facts });

const notOurs = damaged("btrace/not-a-trace");
const broken = damaged("btrace/corrupt");
const cut = damaged("btrace/truncated");

export const errors = {
  notOurs: (name: string) => notOurs(name, "is not a .btrace file: it does not begin with the .btrace magic number."),
  version: (name: string, found: number) =>
    notOurs(name, `has .btrace version ${found}; this Blackout reads version ${version}. Record it again.`, { found }),
  truncated: (name: string, offset: number) =>
    cut(name, `ends in the middle of a block at byte ${offset}: it is truncated. Record it again.`, { offset }),
  unfinished: (name: string) =>
    cut(name, "has no closing block: its recording did not finish, or its end is missing. Record it again."),
  block: (name: string, offset: number, why: string) =>
    broken(name, `is corrupt: the block at byte ${offset} ${why}. Record it again.`, { offset, why }),
} as const;
