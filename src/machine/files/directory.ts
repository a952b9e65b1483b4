/** getdents64: a directory's names as linux_dirent64 records (getdents(2)), from a listing taken when reading began. */
import { usable } from "./descriptors.ts";
import { listEntries } from "./entries.ts";
import { errno } from "./errno.ts";
import type { Description, DirectoryEntry } from "./state.ts";
import type { Tree } from "./tree.ts";

const DT_DIR = 4;
const HEADER = 19;

export function getdents(tree: Tree, fd: number, capacity: number): Uint8Array | number {
  const description = usable(tree, fd);
  if (description === undefined) return -errno.EBADF;
  const { target } = description;
  if (target.kind !== "directory") return -errno.ENOTDIR;
  if (tree.inode(description.inode).nlink === 0) return -errno.ENOENT;
  tree.options.uses?.listed();
  const listing = target.listing ?? takeListing(tree, description);
  if (typeof listing === "number") return listing;
  return takeRecords(tree, description, listing, capacity);
}

function takeListing(tree: Tree, { id, inode }: Description): readonly DirectoryEntry[] | number {
  const names = listEntries(tree, inode);
  if (typeof names === "number") return names;
  const directory = tree.directory(inode);
  const parent = tree.hasInode(directory.parent) ? tree.inode(directory.parent) : directory;
  const listing = [
    { name: ".", ino: directory.ino, type: DT_DIR },
    { name: "..", ino: parent.ino, type: DT_DIR },
    ...names,
  ];
  tree.editDescription(id).target = { kind: "directory", listing };
  return listing;
}

function takeRecords(
  tree: Tree,
  description: Description,
  listing: readonly DirectoryEntry[],
  capacity: number,
): Uint8Array | number {
  const bytes = new Uint8Array(Math.min(capacity, 1 << 20));
  let used = 0;
  let at = description.offset;
  for (; at < listing.length; at++) {
    const entry = listing[at] as DirectoryEntry;
    const length = (HEADER + entry.name.length + 1 + 7) & ~7;
    if (used + length > bytes.length) break;
    encodeEntry(bytes.subarray(used, used + length), entry, at + 1);
    used += length;
  }
  if (used === 0 && at < listing.length) return -errno.EINVAL;
  if (at !== description.offset) tree.editDescription(description.id).offset = at;
  return bytes.subarray(0, used);
}

/** ino u64, position of the next entry i64, record length u16, type u8, name with its NUL. */
function encodeEntry(into: Uint8Array, entry: DirectoryEntry, next: number): void {
  const view = new DataView(into.buffer, into.byteOffset, into.length);
  view.setBigUint64(0, BigInt(entry.ino), true);
  view.setBigInt64(8, BigInt(next), true);
  view.setUint16(16, into.length, true);
  view.setUint8(18, entry.type);
  for (let i = 0; i < entry.name.length; i++) into[HEADER + i] = entry.name.charCodeAt(i);
}
