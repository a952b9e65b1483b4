/** SHA-256, for telling files and runs from others. */
import { createHash } from "node:crypto";

export function sha256(parts: Iterable<Uint8Array | string>): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
