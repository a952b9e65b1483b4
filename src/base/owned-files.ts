/**
 * A host tree as the user who recorded a run saw it: what belongs to that user belongs to us, so that a program may do to it what
 * it might then. Nothing on the host is changed by that; where its writes reach the host, the host decides.
 */
import { ForwardedFiles } from "./forwarded-files.ts";
import type { HostFiles, HostStat } from "./host-files.ts";

/** A user of the host. */
export interface HostUser {
  readonly uid: number;
  readonly gid: number;
}

export class OwnedFiles extends ForwardedFiles {
  readonly #owner: HostUser;

  constructor(host: HostFiles, { uid, gid }: HostUser) {
    super(host);
    this.#owner = { uid, gid };
  }

  override lstat(path: string): HostStat | number {
    const stat = super.lstat(path);
    if (typeof stat === "number") return stat;
    const { uid, gid } = this.#owner;
    return { ...stat, ...(stat.uid === uid && { uid: this.uid }), ...(stat.gid === gid && { gid: this.gid }) };
  }
}
