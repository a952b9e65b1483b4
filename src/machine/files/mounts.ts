/** The mounts a guest sees: rows feed st_dev, statfs, /proc/mounts and /proc/self/mountinfo. The root counts as DAX. */
export const makeDevice = (major: number, minor: number): number =>
  ((major & 0xfff) << 8) | (minor & 0xff) | ((minor & ~0xff) << 12);

export interface Mount {
  readonly path: string | undefined;
  readonly type: string;
  readonly source: string;
  /** f_type of statfs (include/uapi/linux/magic.h). */
  readonly magic: number;
  readonly dev: number;
  readonly options: string;
}

const row = (path: string | undefined, type: string, source: string, magic: number, dev: number, options: string) => ({
  path,
  type,
  source,
  magic,
  dev,
  options,
});

// biome-ignore format: columns stay aligned
export const mounts: readonly Mount[] = [
  //  path        type          source        f_type      st_dev               options
  row("/",        "ext4",       "/dev/pmem0", 0xef53,     makeDevice(259, 0),  "rw,noatime,dax=always"),
  row("/proc",    "proc",       "proc",       0x9fa0,     makeDevice(0, 21),   "rw,nosuid,nodev,noexec"),
  row("/sys",     "sysfs",      "sysfs",      0x62656572, makeDevice(0, 22),   "rw,nosuid,nodev,noexec"),
  row("/dev",     "devtmpfs",   "devtmpfs",   0x01021994, makeDevice(0, 6),    "rw,nosuid"),
  row("/dev/shm", "tmpfs",      "tmpfs",      0x01021994, makeDevice(0, 23),   "rw,nosuid,nodev"),
  // Granted directories, wherever they are; and what has no path at all.
  row(undefined,  "ext4",       "/dev/pmem1", 0xef53,     makeDevice(259, 1),  "rw,noatime,dax=always"),
  row(undefined,  "pipefs",     "pipefs",     0x50495045, makeDevice(0, 13),   "rw"),
  row(undefined,  "anon_inodefs", "anon_inodefs", 0x09041934, makeDevice(0, 14), "rw"),
];

export const mountIndex = { root: 0, proc: 1, sys: 2, dev: 3, shm: 4, grant: 5, pipe: 6, anonymous: 7 } as const;

export const mountOf = (index: number): Mount => mounts[index] as Mount;
