/**
 * The one place that holds and changes the state of the file tree. Always:
 * - Reading goes through `inode`, `description`, `object`; changing through the `edit…` calls, which own the record first.
 *   Neither kind of reference is kept across another call that may change the same record.
 * - An inode without names and holders is freed at once, with its pages.
 */
import { assert } from "../../base/index.ts";
import type { GeneratedTables } from "./generated.ts";
import type { Description, Descriptor, DirectoryInode, FileInode, FilesState, Inode, KernelObject } from "./state.ts";
import { type FilesOptions, type InodeId, PAGE_SIZE } from "./types.ts";
import { get, type Table, type Versioned, Versions } from "./versions.ts";

/** What a new inode needs to be told; the rest has plain beginnings. */
type Fresh<I = Inode> = I extends Inode ? Omit<I, keyof InodeBeginnings> & Partial<InodeBeginnings> : never;

interface InodeBeginnings {
  epoch: number;
  id: InodeId;
  ino: number;
  nlink: number;
  uid: number;
  gid: number;
  accessed: bigint;
  modified: bigint;
  changed: bigint;
  born: bigint;
  holders: number;
  counted: boolean;
  rechmoded: boolean;
  lower: string | undefined;
  granted: boolean;
}

type TableName = "inodes" | "descriptions" | "descriptors" | "objects";

const copyEntries = (inode: Inode): Inode =>
  inode.kind === "directory" ? { ...inode, entries: new Map(inode.entries) } : inode;

export class Tree {
  readonly options: FilesOptions;
  readonly generated: GeneratedTables;
  readonly versions = new Versions();
  #state: FilesState;

  constructor(options: FilesOptions, generated: GeneratedTables) {
    this.options = options;
    this.generated = generated;
    this.#state = {
      epoch: this.versions.epoch,
      inodes: this.versions.table(),
      nextInode: 1,
      nextNumber: 100,
      descriptions: this.versions.table(),
      nextDescription: 1,
      descriptors: this.versions.table(),
      objects: this.versions.table(),
      nextObject: 1,
      hostLinks: new Map(),
      root: 0 as InodeId,
      workingDirectory: 0 as InodeId,
      umask: options.umask,
      pageCount: 0,
      grownBytes: 0,
      fileCount: 0,
      streamOffsets: [0, 0, 0],
      changeCount: 0,
    };
  }

  get state(): Readonly<FilesState> {
    return this.#state;
  }

  snapshot(): Readonly<FilesState> {
    this.versions.advance();
    return this.#state;
  }

  restore(state: Readonly<FilesState>): void {
    this.versions.advance();
    this.#state = state;
  }

  editState(): FilesState {
    this.#state = this.versions.own(this.#state);
    return this.#state;
  }

  /** Something a waiting thread may wait for has changed. */
  noteChange(): void {
    this.editState().changeCount++;
  }

  inode(id: InodeId): Inode {
    const inode = get(this.#state.inodes, id);
    assert(inode !== undefined, "an inode id names a living inode");
    return inode;
  }

  hasInode(id: InodeId): boolean {
    return get(this.#state.inodes, id) !== undefined;
  }

  directory(id: InodeId): DirectoryInode {
    const inode = this.inode(id);
    assert(inode.kind === "directory", "the inode is a directory");
    return inode;
  }

  file(id: InodeId): FileInode {
    const inode = this.inode(id);
    assert(inode.kind === "file", "the inode is a regular file");
    return inode;
  }

  editInode(id: InodeId): Inode {
    return this.versions.edit(this.#own<Inode>("inodes"), id, copyEntries);
  }

  editDirectory(id: InodeId): DirectoryInode {
    const inode = this.editInode(id);
    assert(inode.kind === "directory", "the inode is a directory");
    return inode;
  }

  /** The file with its page table, both writable. */
  editFile(id: InodeId): FileInode {
    const inode = this.editInode(id);
    assert(inode.kind === "file", "the inode is a regular file");
    inode.pages = this.versions.own(inode.pages);
    return inode;
  }

  addInode(fresh: Fresh): InodeId {
    const state = this.editState();
    const id = state.nextInode++ as InodeId;
    const now = this.options.now();
    const beginnings: InodeBeginnings = {
      epoch: this.versions.epoch,
      id,
      ino: 0,
      nlink: 1,
      uid: this.options.uid,
      gid: this.options.gid,
      accessed: now,
      modified: now,
      changed: now,
      born: now,
      holders: 0,
      counted: false,
      rechmoded: false,
      lower: undefined,
      granted: false,
    };
    const inode = { ...beginnings, ...fresh } as Inode;
    if (inode.ino === 0) inode.ino = state.nextNumber++;
    if (inode.counted) state.fileCount++;
    this.versions.set(this.#own<Inode>("inodes"), id, inode);
    return id;
  }

  /** True when one more file may be made. */
  hasRoomForFile(): boolean {
    const { files } = this.options.limits;
    if (this.#state.fileCount < files) return true;
    this.options.limitReached?.("files", files);
    return false;
  }

  /** How many more bytes of contents there may be, in memory and on the host together. */
  get roomLeft(): number {
    return this.options.limits.bytes - this.#state.pageCount * PAGE_SIZE - this.#state.grownBytes;
  }

  hasRoomForBytes(length: number): boolean {
    if (length <= this.roomLeft) return true;
    this.options.limitReached?.("bytes of files", this.options.limits.bytes);
    return false;
  }

  hold(id: InodeId): void {
    this.editInode(id).holders++;
  }

  drop(id: InodeId): void {
    const inode = this.editInode(id);
    inode.holders--;
    assert(inode.holders >= 0, "an inode is dropped as often as it was held");
    this.freeIfUnused(id);
  }

  /** Inodes found by one walk stay during the next, which may find that the host has theirs no more. */
  holding<Result>(ids: readonly InodeId[], work: () => Result): Result {
    const held = ids.filter((id) => id !== 0);
    for (const id of held) this.hold(id);
    const result = work();
    for (const id of held) this.drop(id);
    return result;
  }

  freeIfUnused(id: InodeId): void {
    const inode = this.inode(id);
    if (inode.nlink > 0 || inode.holders > 0) return;
    const state = this.editState();
    if (inode.kind === "file") {
      state.pageCount -= inode.pages.size;
      state.grownBytes -= inode.grown;
    }
    if (inode.counted) state.fileCount--;
    this.versions.delete(this.#own<Inode>("inodes"), id);
  }

  descriptor(fd: number): Descriptor | undefined {
    return fd >= 0 ? get(this.#state.descriptors, fd) : undefined;
  }

  setDescriptor(fd: number, description: number, cloexec: boolean): void {
    const record = { epoch: this.versions.epoch, description, cloexec };
    this.versions.set(this.#own<Descriptor>("descriptors"), fd, record);
  }

  clearDescriptor(fd: number): void {
    this.versions.delete(this.#own<Descriptor>("descriptors"), fd);
  }

  description(id: number): Description | undefined {
    return get(this.#state.descriptions, id);
  }

  editDescription(id: number): Description {
    return this.versions.edit(this.#own<Description>("descriptions"), id);
  }

  addDescription(fields: Omit<Description, "epoch" | "id" | "refs">): number {
    const id = this.editState().nextDescription++;
    const record: Description = { ...fields, epoch: this.versions.epoch, id, refs: 0 };
    this.versions.set(this.#own<Description>("descriptions"), id, record);
    this.hold(fields.inode);
    return id;
  }

  removeDescription(id: number): void {
    this.versions.delete(this.#own<Description>("descriptions"), id);
  }

  object(id: number): KernelObject {
    const object = get(this.#state.objects, id);
    assert(object !== undefined, "an object id names a living pipe, eventfd or epoll");
    return object;
  }

  editObject<O extends KernelObject>(id: number, kind: O["kind"]): O {
    const object = this.versions.edit(this.#own<KernelObject>("objects"), id);
    assert(object.kind === kind, `the object is of kind ${kind}`);
    return object as O;
  }

  addObject<O extends KernelObject>(fields: Omit<O, "epoch">): number {
    const id = this.editState().nextObject++;
    const record = { ...fields, epoch: this.versions.epoch } as unknown as KernelObject;
    this.versions.set(this.#own<KernelObject>("objects"), id, record);
    return id;
  }

  removeObject(id: number): void {
    this.versions.delete(this.#own<KernelObject>("objects"), id);
  }

  #own<T extends Versioned>(name: TableName): Table<T> {
    const tables = this.editState() as unknown as Record<TableName, Table<T>>;
    tables[name] = this.versions.own(tables[name]);
    return tables[name];
  }
}
