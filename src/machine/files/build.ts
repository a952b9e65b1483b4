/**
 * How a guest's tree begins: the host's directory as root, our own /proc, /sys and /dev over whatever the host has there,
 * granted directories marked, and the three standard descriptors. Nothing of the host's /proc, /sys and /dev shows.
 */
import { InputError } from "../../base/index.ts";
import { install } from "./descriptors.ts";
import { devices } from "./devices.ts";
import { errnoName } from "./errno.ts";
import { AT, O, S } from "./flags.ts";
import { inodeNumber } from "./lower.ts";
import { mountIndex } from "./mounts.ts";
import { addAnonymous } from "./pipes.ts";
import {
  addComputed,
  addFixedDirectory,
  addFixedLink,
  addSystemRows,
  ensureDirectories,
  fillProcess,
  generatedTables,
} from "./proc.ts";
import { streamType } from "./streams.ts";
import { emptySysDirectories, procRows, sysLinks, sysRows } from "./system-rows.ts";
import { textFromPath } from "./text.ts";
import { Tree } from "./tree.ts";
import type { FilesOptions, InodeId } from "./types.ts";
import { locate } from "./walk.ts";

export function buildTree(options: FilesOptions): Tree {
  const tree = new Tree(options, generatedTables);
  addRoot(tree);
  addProc(tree);
  addSys(tree);
  addDev(tree);
  for (const grant of options.grants) markGranted(tree, grant);
  const directory = existingDirectory(tree, options.workingDirectory, "the working directory");
  tree.editState().workingDirectory = directory;
  tree.hold(directory);
  for (const stream of [0, 1, 2] as const) addStream(tree, stream);
  return tree;
}

function addRoot(tree: Tree): void {
  const { host, root } = tree.options;
  const stat = host.lstat(root);
  if (typeof stat === "number" || stat.kind !== "directory") throw notADirectory("the root", root);
  if (root !== "/") holdDirectory(tree, root);
  const times = { accessed: stat.modified, modified: stat.modified, changed: stat.modified, born: stat.modified };
  const isOwn = stat.uid === host.uid;
  const id = tree.addInode({
    kind: "directory",
    ino: 2,
    mode: S.IFDIR | stat.mode,
    nlink: stat.nlink,
    ...(isOwn ? {} : { uid: 0, gid: 0 }),
    ...times,
    mount: mountIndex.root,
    parent: 1 as InodeId,
    name: "",
    lower: root,
    entries: new Map(),
    listing: undefined,
  });
  const state = tree.editState();
  state.root = state.workingDirectory = id;
}

const notADirectory = (what: string, path: string, result?: number): InputError =>
  new InputError(
    "files/not-a-directory",
    `${what} ${textFromPath(path)} is not a directory${result === undefined ? "" : ` (${errnoName(result)})`}. Give one that exists.`,
    { path },
  );

/** What the guest may change names in, or must not see beyond, is held: a name changed meanwhile leads nowhere else. */
function holdDirectory(tree: Tree, path: string): void {
  const held = tree.options.host.hold(path);
  if (held < 0)
    throw new InputError(
      "files/not-held",
      `${textFromPath(path)} cannot be held open (${errnoName(held)}): give its path without symbolic links; /proc must be mounted.`,
      { path },
    );
}

/** The root of a mount of ours, hiding what the host has under that name. */
function addMount(tree: Tree, parent: InodeId, name: string, mount: number, bits: number): InodeId {
  const id = addFixedDirectory(tree, parent, name, bits);
  const directory = tree.editDirectory(id);
  directory.mount = mount;
  directory.ino = inodeNumber(`mount ${mount}`);
  return id;
}

function addProc(tree: Tree): void {
  const { process, uid, gid } = tree.options;
  const proc = addMount(tree, tree.state.root, "proc", mountIndex.proc, 0o555);
  addSystemRows(tree, proc, procRows);
  const own = addFixedDirectory(tree, proc, String(process.pid), 0o555, { uid, gid });
  fillProcess(tree, own, process.pid);
  tree.editDirectory(addFixedDirectory(tree, own, "task", 0o555, { uid, gid })).listing = "task";
  addFixedLink(tree, proc, "self", String(process.pid));
  addFixedLink(tree, proc, "mounts", "self/mounts");
  addComputed(tree, proc, "thread-self", { kind: "magic-link", mode: S.IFLNK | 0o777, row: "thread-self", subject: 0 });
}

function addSys(tree: Tree): void {
  const sys = addMount(tree, tree.state.root, "sys", mountIndex.sys, 0o555);
  addSystemRows(tree, sys, sysRows);
  for (const path of emptySysDirectories) ensureDirectories(tree, sys, path);
  for (const [path, target] of sysLinks) {
    const slash = path.lastIndexOf("/");
    addFixedLink(tree, ensureDirectories(tree, sys, path.slice(0, slash)), path.slice(slash + 1), target);
  }
}

function addDev(tree: Tree): void {
  const dev = addMount(tree, tree.state.root, "dev", mountIndex.dev, 0o755);
  for (const [device, { mode }] of Object.entries(devices)) {
    const place = { parent: dev, name: device, mount: mountIndex.dev, ino: inodeNumber(`device ${device}`) };
    const id = tree.addInode({ kind: "device", ...place, uid: 0, gid: 0, mode: S.IFCHR | mode, device });
    tree.editDirectory(dev).entries.set(device, id);
  }
  addMount(tree, dev, "shm", mountIndex.shm, 0o1777);
  addFixedLink(tree, dev, "fd", "/proc/self/fd");
  for (const [fd, name] of ["stdin", "stdout", "stderr"].entries())
    addFixedLink(tree, dev, name, `/proc/self/fd/${fd}`);
}

function existingDirectory(tree: Tree, path: string, what: string): InodeId {
  const id = locate(tree, AT.FDCWD, path, 0);
  if (id < 0 || tree.inode(id as InodeId).kind !== "directory")
    throw notADirectory(what, path, id < 0 ? id : undefined);
  return id as InodeId;
}

function markGranted(tree: Tree, path: string): void {
  const directory = tree.editDirectory(existingDirectory(tree, path, "the granted directory"));
  if (directory.lower === undefined)
    throw new InputError(
      "files/grant-not-on-host",
      `${textFromPath(path)} is not a directory of the host, so it cannot be granted.`,
      { path },
    );
  holdDirectory(tree, directory.lower);
  directory.granted = true;
  directory.mount = mountIndex.grant;
  directory.entries = new Map([...directory.entries].filter(([, id]) => tree.inode(id).lower === undefined));
}

function addStream(tree: Tree, stream: 0 | 1 | 2): void {
  const isTerminal = tree.options.streams.terminals[stream];
  const label = isTerminal ? "/dev/pts/0" : "pipe:";
  const inode = addAnonymous(tree, streamType(tree, stream), mountIndex.pipe, label);
  const mode = isTerminal ? O.RDWR : stream === 0 ? O.RDONLY : O.WRONLY;
  const description = tree.addDescription({ flags: mode, offset: 0, inode, target: { kind: "stream", stream } });
  install(tree, description, false);
}
