/**
 * What a file call wrote to a persistent file, as one text of a trace: offset and number of zeros (64 bits each), length of
 * the path (32 bits), the path, the bytes. Always: it is either zeros or bytes.
 */
import { assert } from "../../base/index.ts";

interface WrittenTo {
  readonly path: string;
  /** In the file. */
  readonly offset: number;
}
export type Written = WrittenTo & ({ readonly bytes: Uint8Array } | { readonly zeros: number });

const headBytes = 20;

export function packWritten(written: Written): Uint8Array {
  const path = new TextEncoder().encode(written.path);
  const bytes = "bytes" in written ? written.bytes : new Uint8Array();
  const packed = new Uint8Array(headBytes + path.length + bytes.length);
  const view = new DataView(packed.buffer);
  view.setBigUint64(0, BigInt(written.offset), true);
  view.setBigUint64(8, BigInt("zeros" in written ? written.zeros : 0), true);
  view.setUint32(16, path.length, true);
  packed.set(path, headBytes);
  packed.set(bytes, headBytes + path.length);
  return packed;
}

/** Whether a text can be taken apart: one from a file may be anything. */
export function isWritten(packed: Uint8Array): boolean {
  if (packed.length < headBytes) return false;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const [offset, zeros] = [view.getBigUint64(0, true), view.getBigUint64(8, true)];
  const rest = packed.length - headBytes - view.getUint32(16, true);
  const isSmall = offset + zeros + BigInt(Math.max(0, rest)) <= BigInt(Number.MAX_SAFE_INTEGER);
  return isSmall && (zeros === 0n ? rest >= 0 : rest === 0);
}

export function unpackWritten(packed: Uint8Array): Written & { readonly kind: "written" } {
  assert(isWritten(packed), "what a file call wrote is packed as it was");
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const end = headBytes + view.getUint32(16, true);
  const path = new TextDecoder().decode(packed.subarray(headBytes, end));
  const to = { kind: "written", path, offset: Number(view.getBigUint64(0, true)) } as const;
  const zeros = Number(view.getBigUint64(8, true));
  return zeros > 0 ? { ...to, zeros } : { ...to, bytes: packed.subarray(end) };
}

/** How many bytes of the file it is. */
export const writtenLength = (written: Written): number => ("zeros" in written ? written.zeros : written.bytes.length);
