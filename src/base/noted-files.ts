/** A host tree that notes which files were read: what a run depended on beside its program. */
import { ForwardedFiles } from "./forwarded-files.ts";

export class NotedFiles extends ForwardedFiles {
  /** Paths of regular files of which something was read, as byte strings. */
  readonly noted = new Set<string>();
  /** Files that lost their names, by what stands for them: they count by the name they had. */
  readonly #named = new Map<string, string>();

  override read(path: string, offset: number, into: Uint8Array): number {
    const count = super.read(path, offset, into);
    if (count >= 0) this.noted.add(this.#named.get(path) ?? path);
    return count;
  }

  override keep(path: string): string | number {
    const name = super.keep(path);
    if (typeof name === "string") this.#named.set(name, path);
    return name;
  }
}
