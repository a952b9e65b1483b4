/** Pipes and eventfds: bytes and counters between threads (pipe(7), eventfd(2)). A call that must wait says "blocked". */
import { errno } from "./errno.ts";
import { O, S } from "./flags.ts";
import { mountIndex } from "./mounts.ts";
import type { Activity, Description, EventCounter, Pipe } from "./state.ts";
import type { Tree } from "./tree.ts";
import type { InodeId, Transfer } from "./types.ts";

/** Writes up to this size are never split. */
export const PIPE_BUF = 4096;
const MAX_CAPACITY = 2 ** 20;

const quiet: Activity = { incoming: 0, outgoing: 0 };
const incoming = (activity: Activity): Activity => ({ ...activity, incoming: activity.incoming + 1 });
const outgoing = (activity: Activity): Activity => ({ ...activity, outgoing: activity.outgoing + 1 });

/** An inode for what has no path; fstat and /proc/self/fd speak of it. */
export function addAnonymous(tree: Tree, type: number, mount: number, label: string): InodeId {
  const owner = mount === mountIndex.anonymous ? { uid: 0, gid: 0 } : {};
  const common = { kind: "anonymous" as const, mode: type | 0o600, mount, parent: 0 as InodeId, nlink: 0, ...owner };
  const id = tree.addInode({ ...common, name: label });
  if (label.endsWith(":")) tree.editInode(id).name = `${label}[${tree.inode(id).ino}]`;
  return id;
}

/** The two descriptions of a new pipe. */
export function makePipe(tree: Tree, flags: number): { read: number; write: number } {
  const pipe = { chunks: [], size: 0, capacity: tree.options.limits.pipe, readers: 1, writers: 1, activity: quiet };
  const object = tree.addObject<Pipe>({ kind: "pipe", ...pipe });
  const inode = addAnonymous(tree, S.IFIFO, mountIndex.pipe, "pipe:");
  return {
    read: tree.addDescription({ flags: O.RDONLY | flags, offset: 0, inode, target: { kind: "pipe-read", object } }),
    write: tree.addDescription({ flags: O.WRONLY | flags, offset: 0, inode, target: { kind: "pipe-write", object } }),
  };
}

export const pipeOf = (tree: Tree, object: number): Pipe => tree.object(object) as Pipe;
const editPipe = (tree: Tree, object: number): Pipe => tree.editObject<Pipe>(object, "pipe");

/** A description of one end is opened again (through /proc/self/fd). */
export function addPipeEnd(tree: Tree, object: number, end: "pipe-read" | "pipe-write"): void {
  const pipe = editPipe(tree, object);
  if (end === "pipe-read") pipe.readers++;
  else pipe.writers++;
}

export function dropPipeEnd(tree: Tree, object: number, end: "pipe-read" | "pipe-write"): void {
  const pipe = editPipe(tree, object);
  if (end === "pipe-read") pipe.readers--;
  else pipe.writers--;
  pipe.activity = end === "pipe-read" ? outgoing(pipe.activity) : incoming(pipe.activity);
  if (pipe.readers === 0 && pipe.writers === 0) tree.removeObject(object);
}

export function readPipe(tree: Tree, object: number, into: Uint8Array, nonblocking: boolean): Transfer {
  const pipe = pipeOf(tree, object);
  if (into.length === 0) return 0;
  if (pipe.size === 0) {
    if (pipe.writers === 0) return 0;
    return nonblocking ? -errno.EAGAIN : "blocked";
  }
  let done = 0;
  let used = 0;
  let rest: Uint8Array | undefined;
  for (const chunk of pipe.chunks) {
    const part = chunk.subarray(0, into.length - done);
    into.set(part, done);
    done += part.length;
    used++;
    if (part.length < chunk.length) rest = chunk.subarray(part.length);
    if (done === into.length) break;
  }
  const edited = editPipe(tree, object);
  edited.chunks = rest ? [rest, ...pipe.chunks.slice(used)] : pipe.chunks.slice(used);
  edited.size -= done;
  edited.activity = outgoing(edited.activity);
  tree.noteChange();
  return done;
}

/** A blocking write of more than PIPE_BUF bytes may come back short; the caller writes the rest, waiting as told. */
export function writePipe(tree: Tree, object: number, bytes: Uint8Array, nonblocking: boolean): Transfer {
  const pipe = pipeOf(tree, object);
  if (bytes.length === 0) return 0;
  if (pipe.readers === 0) return -errno.EPIPE;
  const room = pipe.capacity - pipe.size;
  if (room === 0 || (bytes.length <= PIPE_BUF && room < bytes.length)) return nonblocking ? -errno.EAGAIN : "blocked";
  const taken = bytes.slice(0, room);
  const edited = editPipe(tree, object);
  edited.chunks = appendChunk(pipe.chunks, taken);
  edited.size += taken.length;
  edited.activity = incoming(edited.activity);
  tree.noteChange();
  return taken.length;
}

/** Small writes join the last chunk, so that the list stays short. */
function appendChunk(chunks: readonly Uint8Array[], added: Uint8Array): readonly Uint8Array[] {
  const last = chunks.at(-1);
  if (last === undefined || last.length + added.length > PIPE_BUF) return [...chunks, added];
  const joined = new Uint8Array(last.length + added.length);
  joined.set(last);
  joined.set(added, last.length);
  return [...chunks.slice(0, -1), joined];
}

export const pipeCapacity = (tree: Tree, { target }: Description): number =>
  target.kind === "pipe-read" || target.kind === "pipe-write" ? pipeOf(tree, target.object).capacity : -errno.EBADF;

export function setPipeCapacity(tree: Tree, { target }: Description, wanted: number): number {
  if (target.kind !== "pipe-read" && target.kind !== "pipe-write") return -errno.EBADF;
  if (wanted > MAX_CAPACITY) return -errno.EPERM;
  let capacity = PIPE_BUF;
  while (capacity < wanted) capacity *= 2;
  if (capacity < pipeOf(tree, target.object).size) return -errno.EBUSY;
  editPipe(tree, target.object).capacity = capacity;
  tree.noteChange();
  return capacity;
}

const COUNT_MAX = 2n ** 64n - 2n;

export function makeEventCounter(tree: Tree, initial: number, semaphore: boolean, flags: number): number {
  const object = tree.addObject<EventCounter>({ kind: "eventfd", count: BigInt(initial), semaphore, activity: quiet });
  const inode = addAnonymous(tree, 0, mountIndex.anonymous, "anon_inode:[eventfd]");
  return tree.addDescription({ flags: O.RDWR | flags, offset: 0, inode, target: { kind: "eventfd", object } });
}

export const counterOf = (tree: Tree, object: number): EventCounter => tree.object(object) as EventCounter;

export function readEventCounter(tree: Tree, object: number, into: Uint8Array, nonblocking: boolean): Transfer {
  if (into.length < 8) return -errno.EINVAL;
  const { count, semaphore } = counterOf(tree, object);
  if (count === 0n) return nonblocking ? -errno.EAGAIN : "blocked";
  const taken = semaphore ? 1n : count;
  new DataView(into.buffer, into.byteOffset).setBigUint64(0, taken, true);
  changeCounter(tree, object, -taken);
  return 8;
}

export function writeEventCounter(tree: Tree, object: number, bytes: Uint8Array, nonblocking: boolean): Transfer {
  if (bytes.length !== 8) return -errno.EINVAL;
  const added = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  if (added > COUNT_MAX) return -errno.EINVAL;
  if (counterOf(tree, object).count + added > COUNT_MAX) return nonblocking ? -errno.EAGAIN : "blocked";
  changeCounter(tree, object, added);
  return 8;
}

function changeCounter(tree: Tree, object: number, by: bigint): void {
  const counter = tree.editObject<EventCounter>(object, "eventfd");
  counter.count += by;
  counter.activity = by > 0n ? incoming(counter.activity) : outgoing(counter.activity);
  tree.noteChange();
}
