/** A host tree behind another: what stands before it says only what it does otherwise. */
import type { HostEntry, HostFiles, HostStat } from "./host-files.ts";

export class ForwardedFiles implements HostFiles {
  readonly #host: HostFiles;
  readonly uid: number;
  readonly gid: number;

  constructor(host: HostFiles) {
    this.#host = host;
    this.uid = host.uid;
    this.gid = host.gid;
  }

  hold(path: string): number {
    return this.#host.hold(path);
  }

  lstat(path: string): HostStat | number {
    return this.#host.lstat(path);
  }

  readlink(path: string): string | number {
    return this.#host.readlink(path);
  }

  readdir(path: string): readonly HostEntry[] | number {
    return this.#host.readdir(path);
  }

  read(path: string, offset: number, into: Uint8Array): number {
    return this.#host.read(path, offset, into);
  }

  keep(path: string): string | number {
    return this.#host.keep(path);
  }

  permits(path: string, mask: number): boolean {
    return this.#host.permits(path, mask);
  }

  write(path: string, offset: number, bytes: Uint8Array): number {
    return this.#host.write(path, offset, bytes);
  }

  truncate(path: string, size: number): number {
    return this.#host.truncate(path, size);
  }

  create(path: string, mode: number): number {
    return this.#host.create(path, mode);
  }

  mkdir(path: string, mode: number): number {
    return this.#host.mkdir(path, mode);
  }

  symlink(target: string, path: string): number {
    return this.#host.symlink(target, path);
  }

  link(existing: string, path: string): number {
    return this.#host.link(existing, path);
  }

  unlink(path: string): number {
    return this.#host.unlink(path);
  }

  rmdir(path: string): number {
    return this.#host.rmdir(path);
  }

  rename(from: string, to: string): number {
    return this.#host.rename(from, to);
  }

  chmod(path: string, mode: number): number {
    return this.#host.chmod(path, mode);
  }

  setTimes(path: string, accessed: bigint, modified: bigint): number {
    return this.#host.setTimes(path, accessed, modified);
  }
}
