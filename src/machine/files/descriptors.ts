/**
 * The descriptor table: small numbers that refer to shared open file descriptions. Always: the lowest free number is
 * taken; a description goes away with its last descriptor, and what it held is let go.
 */
import { errno } from "./errno.ts";
import { F, FD_CLOEXEC, O } from "./flags.ts";
import { dropPipeEnd, pipeCapacity, setPipeCapacity } from "./pipes.ts";
import type { Description } from "./state.ts";
import type { Tree } from "./tree.ts";
import { nextKey } from "./versions.ts";

/** What a descriptor refers to, or undefined when it is not open. */
export function descriptionOf(tree: Tree, fd: number): Description | undefined {
  const descriptor = tree.descriptor(fd);
  return descriptor && tree.description(descriptor.description);
}

/** The same, without those opened by O_PATH: EBADF for most calls. */
export function usable(tree: Tree, fd: number): Description | undefined {
  const description = descriptionOf(tree, fd);
  return description?.target.kind === "path" ? undefined : description;
}

const READABLE: readonly number[] = [O.RDONLY, O.RDWR];
const WRITABLE: readonly number[] = [O.WRONLY, O.RDWR];
export const isReadable = (description: Description): boolean => READABLE.includes(description.flags & O.ACCMODE);
export const isWritable = (description: Description): boolean => WRITABLE.includes(description.flags & O.ACCMODE);
export const isNonblocking = (description: Description): boolean => (description.flags & O.NONBLOCK) !== 0;

/** The lowest free number from `from` on, or EMFILE. */
export function freeDescriptor(tree: Tree, from: number): number {
  let fd = from;
  while (tree.descriptor(fd) !== undefined) fd++;
  const { descriptors } = tree.options.limits;
  if (fd < descriptors) return fd;
  tree.options.limitReached?.("descriptors", descriptors);
  return -errno.EMFILE;
}

/** Gives a description a descriptor; a description nobody refers to is let go when there is no number left. */
export function install(tree: Tree, descriptionId: number, cloexec: boolean, from = 0): number {
  const fd = freeDescriptor(tree, from);
  tree.editDescription(descriptionId).refs++;
  if (fd < 0) {
    unrefer(tree, descriptionId);
    return fd;
  }
  tree.setDescriptor(fd, descriptionId, cloexec);
  return fd;
}

function unrefer(tree: Tree, descriptionId: number): void {
  const description = tree.editDescription(descriptionId);
  description.refs--;
  if (description.refs > 0) return;
  tree.removeDescription(descriptionId);
  const { target } = description;
  if (target.kind === "pipe-read" || target.kind === "pipe-write") dropPipeEnd(tree, target.object, target.kind);
  else if (target.kind === "eventfd" || target.kind === "epoll") tree.removeObject(target.object);
  tree.drop(description.inode);
  tree.noteChange();
}

export function close(tree: Tree, fd: number): number {
  const descriptor = tree.descriptor(fd);
  if (descriptor === undefined) return -errno.EBADF;
  tree.clearDescriptor(fd);
  unrefer(tree, descriptor.description);
  return 0;
}

export function closeRange(tree: Tree, first: number, last: number, onlyCloexec: boolean): number {
  if (first > last) return -errno.EINVAL;
  const { descriptors } = tree.state;
  for (
    let fd = nextKey(descriptors, first);
    fd !== undefined && fd <= last;
    fd = nextKey(tree.state.descriptors, fd + 1)
  )
    if (!onlyCloexec || tree.descriptor(fd)?.cloexec) close(tree, fd);
  return 0;
}

export function duplicate(tree: Tree, fd: number, from: number, cloexec: boolean): number {
  const descriptor = tree.descriptor(fd);
  if (descriptor === undefined) return -errno.EBADF;
  return install(tree, descriptor.description, cloexec, from);
}

export function dup2(tree: Tree, from: number, to: number, cloexec: boolean): number {
  const descriptor = tree.descriptor(from);
  if (descriptor === undefined || to < 0 || to >= tree.options.limits.descriptors) return -errno.EBADF;
  if (from === to) return to;
  tree.editDescription(descriptor.description).refs++;
  close(tree, to);
  tree.setDescriptor(to, descriptor.description, cloexec);
  return to;
}

type Command = (tree: Tree, fd: number, description: Description, argument: number) => number;

/** Status flags F_SETFL may change (fs/fcntl.c). */
const SETTABLE = O.APPEND | O.NONBLOCK | O.ASYNC | O.DIRECT | O.NOATIME;

const dupFrom =
  (cloexec: boolean): Command =>
  (tree, fd, _description, from) =>
    from < 0 || from >= tree.options.limits.descriptors ? -errno.EINVAL : duplicate(tree, fd, from, cloexec);

/** One process: no lock is ever held by another, so locking succeeds and asking finds nothing. */
const lockFreely: Command = () => 0;

const commands: Readonly<Record<number, Command>> = {
  [F.DUPFD]: dupFrom(false),
  [F.DUPFD_CLOEXEC]: dupFrom(true),
  [F.GETFD]: (tree, fd) => (tree.descriptor(fd)?.cloexec ? FD_CLOEXEC : 0),
  [F.SETFD]: (tree, fd, description, argument) => {
    tree.setDescriptor(fd, description.id, (argument & FD_CLOEXEC) !== 0);
    return 0;
  },
  [F.GETFL]: (_tree, _fd, description) => description.flags,
  [F.SETFL]: (tree, _fd, description, argument) => {
    tree.editDescription(description.id).flags = (description.flags & ~SETTABLE) | (argument & SETTABLE);
    return 0;
  },
  [F.GETLK]: lockFreely,
  [F.SETLK]: lockFreely,
  [F.SETLKW]: lockFreely,
  [F.OFD_GETLK]: lockFreely,
  [F.OFD_SETLK]: lockFreely,
  [F.OFD_SETLKW]: lockFreely,
  [F.GETOWN]: () => 0,
  [F.SETOWN]: () => 0,
  [F.GETSIG]: () => 0,
  [F.SETSIG]: () => 0,
  [F.GETPIPE_SZ]: (tree, _fd, description) => pipeCapacity(tree, description),
  [F.SETPIPE_SZ]: (tree, _fd, description, argument) => setPipeCapacity(tree, description, argument),
};

/** Commands that work on an O_PATH descriptor. */
const pathCommands: readonly number[] = [F.DUPFD, F.DUPFD_CLOEXEC, F.GETFD, F.SETFD, F.GETFL];

export function fcntl(tree: Tree, fd: number, command: number, argument: number): number {
  const description = descriptionOf(tree, fd);
  if (description === undefined) return -errno.EBADF;
  if (description.target.kind === "path" && !pathCommands.includes(command)) return -errno.EBADF;
  return commands[command]?.(tree, fd, description, argument) ?? -errno.EINVAL;
}

export function flock(tree: Tree, fd: number, operation: number): number {
  const kind = operation & ~4;
  if (usable(tree, fd) === undefined) return -errno.EBADF;
  return kind === 1 || kind === 2 || kind === 8 ? 0 : -errno.EINVAL;
}
