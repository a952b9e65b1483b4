/** Digests of files, by which a run on other files than before is noticed. */
import type { HostLook } from "../../base/index.ts";
import { sha256 } from "../../host/index.ts";
import { pathFromText } from "../../machine/index.ts";

const pieceBytes = 1 << 20;
/** Of a larger file, only its size and its beginning count: a pool of a terabyte is not read for its digest. */
const countedBytes = 1 << 26;

function* pieces(files: HostLook, path: string): Iterable<Uint8Array | string> {
  const stat = files.lstat(path);
  const size = typeof stat === "object" ? stat.size : 0;
  if (size > countedBytes) yield `${size} `;
  const piece = new Uint8Array(pieceBytes);
  for (let offset = 0; offset < Math.min(size, countedBytes); offset += pieceBytes) {
    const count = files.read(path, offset, piece);
    if (count <= 0) return;
    yield piece.subarray(0, count);
  }
}

/** By path; a file that is not there, or cannot be read, counts as an empty one. */
export const fileDigests = (paths: readonly string[], files: HostLook): Readonly<Record<string, string>> =>
  Object.fromEntries(paths.map((path) => [path, sha256(pieces(files, pathFromText(path)))]));
