/** Files that are an aid alone: they begin with a digest of the rest, and a damaged one is as good as none. */
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { readIfRegular } from "./whole-files.ts";

const digestBytes = 32;
const sealedMax = 2 ** 29;

export function seal(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return [hash.digest(), ...parts];
}

/** What was sealed; undefined if there is no such file, or a damaged one. */
export function readSealed(file: string, flags = 0, accepts?: (stat: Stats) => boolean): Buffer | undefined {
  try {
    const sealed = readIfRegular(file, sealedMax, flags, accepts);
    if (sealed === undefined) return undefined;
    const data = sealed.subarray(digestBytes);
    return createHash("sha256").update(data).digest().equals(sealed.subarray(0, digestBytes)) ? data : undefined;
  } catch {
    return undefined;
  }
}
