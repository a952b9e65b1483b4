/** The rows of /proc and /sys put to use: which key computes what, links into open files, and listings of descriptors and threads. */
import { errno } from "./errno.ts";
import { AT, S } from "./flags.ts";
import type { GeneratedFile, GeneratedTables, Listing, MagicLink } from "./generated.ts";
import { describePath } from "./lookup.ts";
import { inodeNumber } from "./lower.ts";
import { mountIndex } from "./mounts.ts";
import { processRows, rowBytes } from "./process-rows.ts";
import type { DirectoryInode, GeneratedInode } from "./state.ts";
import { procRows, type SystemRow, sysRows } from "./system-rows.ts";
import { byteString, bytesOf } from "./text.ts";
import type { Tree } from "./tree.ts";
import type { InodeId } from "./types.ts";
import { keysOf } from "./versions.ts";
import { locate } from "./walk.ts";

/** Where a computed inode goes: its number comes from the path, which is unique among computed ones. */
const computed = (tree: Tree, parent: InodeId, name: string) => ({
  parent,
  name,
  mount: tree.inode(parent).mount,
  ino: inodeNumber(`${describePath(tree, parent)}//${name}`),
});

type Owner = { readonly uid: number; readonly gid: number };
const byRoot: Owner = { uid: 0, gid: 0 };
const ownerOf = ({ uid, gid }: Owner): Owner => ({ uid, gid });

export function addComputed(
  tree: Tree,
  parent: InodeId,
  name: string,
  fields: Pick<GeneratedInode, "kind" | "mode" | "row" | "subject">,
  owner: Owner = byRoot,
): InodeId {
  const id = tree.addInode({ ...computed(tree, parent, name), ...fields, ...ownerOf(owner) });
  tree.editDirectory(parent).entries.set(name, id);
  return id;
}

export function addFixedDirectory(tree: Tree, parent: InodeId, name: string, bits: number, owner = byRoot): InodeId {
  const mode = S.IFDIR | bits;
  const shape = { kind: "directory" as const, mode, nlink: 2, entries: new Map(), listing: undefined };
  const id = tree.addInode({ ...computed(tree, parent, name), ...shape, ...ownerOf(owner) });
  tree.editDirectory(parent).entries.set(name, id);
  return id;
}

export function addFixedLink(tree: Tree, parent: InodeId, name: string, target: string): void {
  const mode = S.IFLNK | 0o777;
  const id = tree.addInode({ ...computed(tree, parent, name), ...byRoot, kind: "symlink", mode, target });
  tree.editDirectory(parent).entries.set(name, id);
}

/** The directory at a relative path, made with all above it. */
export function ensureDirectories(tree: Tree, base: InodeId, path: string): InodeId {
  let at = base;
  for (const name of path.split("/").filter((part) => part !== ""))
    at = tree.directory(at).entries.get(name) ?? addFixedDirectory(tree, at, name, 0o555);
  return at;
}

export function addSystemRows(tree: Tree, base: InodeId, rows: readonly SystemRow[]): void {
  const prefix = tree.inode(base).mount === mountIndex.proc ? "proc" : "sys";
  for (const { path } of rows) {
    const slash = path.lastIndexOf("/");
    const parent = ensureDirectories(tree, base, path.slice(0, Math.max(0, slash)));
    const fields = { kind: "generated" as const, mode: S.IFREG | 0o444, row: `${prefix}/${path}`, subject: 0 };
    addComputed(tree, parent, path.slice(slash + 1), fields);
  }
}

/** The files, links and listings of /proc/<pid> or of one of its threads. */
export function fillProcess(tree: Tree, directory: InodeId, thread: number): void {
  const owner = { uid: tree.options.uid, gid: tree.options.gid };
  for (const { name, mode } of processRows)
    addComputed(
      tree,
      directory,
      name,
      { kind: "generated", mode: S.IFREG | mode, row: `task/${name}`, subject: thread },
      owner,
    );
  for (const row of ["exe", "cwd", "root"])
    addComputed(tree, directory, row, { kind: "magic-link", mode: S.IFLNK | 0o777, row, subject: thread }, owner);
  for (const listing of ["fd", "fdinfo"])
    tree.editDirectory(addFixedDirectory(tree, directory, listing, 0o500, owner)).listing = listing;
}

const leadTo = (id: InodeId | number) => (id < 0 ? id : { inode: id as InodeId, description: undefined });

const links: Readonly<Record<string, MagicLink>> = {
  exe: {
    jump: (tree) => leadTo(locate(tree, AT.FDCWD, tree.options.process.executable(), 0)),
    text: (tree) => tree.options.process.executable(),
  },
  cwd: {
    jump: (tree) => leadTo(tree.state.workingDirectory),
    text: (tree) => describePath(tree, tree.state.workingDirectory),
  },
  root: { jump: (tree) => leadTo(tree.state.root), text: () => "/" },
  fd: {
    jump: (tree, fd) => {
      const description = tree.descriptor(fd)?.description;
      const inode = description === undefined ? undefined : tree.description(description)?.inode;
      return inode === undefined ? -errno.ENOENT : { inode, description };
    },
    text: (tree, fd) => {
      const inode = tree.description(tree.descriptor(fd)?.description ?? 0)?.inode;
      return inode === undefined ? "" : describePath(tree, inode);
    },
  },
  "thread-self": {
    jump: (tree) => leadTo(locate(tree, AT.FDCWD, `/proc/${threadPath(tree)}`, 0)),
    text: (tree) => threadPath(tree),
  },
};

const threadPath = ({ options: { process } }: Tree): string => `${process.pid}/task/${process.currentThread()}`;

const descriptorNames = (tree: Tree): readonly string[] => [...keysOf(tree.state.descriptors)].map(String);

/** A listing whose names are descriptors, each an inode of one row. */
const perDescriptor = (row: string, kind: GeneratedInode["kind"], mode: number): Listing => ({
  names: descriptorNames,
  make: (tree: Tree, directory: DirectoryInode, name: string) =>
    addComputed(tree, directory.id, name, { kind, mode, row, subject: Number(name) }, directory),
});

const listings: Readonly<Record<string, Listing>> = {
  fd: perDescriptor("fd", "magic-link", S.IFLNK | 0o700),
  fdinfo: perDescriptor("fdinfo", "generated", S.IFREG | 0o444),
  task: {
    names: (tree) => tree.options.process.threads().map(String),
    make: (tree, directory, name) => {
      const id = addFixedDirectory(tree, directory.id, name, 0o555, directory);
      fillProcess(tree, id, Number(name));
      return id;
    },
  },
};

function fdinfo(tree: Tree, fd: number): Uint8Array {
  const description = tree.description(tree.descriptor(fd)?.description ?? 0);
  if (description === undefined) return new Uint8Array();
  const { mount, ino } = tree.inode(description.inode);
  const flags = description.flags.toString(8).padStart(7, "0");
  return bytesOf(`pos:\t${description.offset}\nflags:\t${flags}\nmnt_id:\t${mount + 1}\nino:\t${ino}\n`);
}

const systemFiles = (prefix: string, rows: readonly SystemRow[]): [string, GeneratedFile][] =>
  rows.map(({ path, read }) => [`${prefix}/${path}`, { read: (tree) => bytesOf(read(tree.options)) }]);

const processFiles: [string, GeneratedFile][] = processRows.map((row) => {
  const read = (tree: Tree, thread: number) => rowBytes(row, tree.options, thread);
  const { write } = row;
  if (write === undefined) return [`task/${row.name}`, { read }];
  const take = (tree: Tree, thread: number, bytes: Uint8Array) => {
    write(tree.options, thread, byteString(bytes));
    return bytes.length;
  };
  return [`task/${row.name}`, { read, write: take }];
});

export const generatedTables: GeneratedTables = {
  files: Object.fromEntries([
    ...processFiles,
    ...systemFiles("proc", procRows),
    ...systemFiles("sys", sysRows),
    ["fdinfo", { read: fdinfo }] as [string, GeneratedFile],
  ]),
  links,
  listings,
};
