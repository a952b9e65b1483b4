/**
 * The files of /proc that speak of the whole machine, and those of /sys: a row per file. The /sys rows are what libpmem,
 * libndctl, libdaxctl, glibc and TBB look at. One NVDIMM region says that caches are outside the persistence domain
 * (so libpmem flushes); there is no /sys/class/nd, so libndctl finds no bus and asks no device for its health.
 */
import { cpuList } from "./process-rows.ts";
import type { FilesOptions, ProcessFacts } from "./types.ts";

export interface SystemRow {
  readonly path: string;
  readonly read: (options: FilesOptions) => string;
}

const NANO = 1_000_000_000n;
const TICK = 10_000_000n;
const seconds = (time: bigint): string => {
  const cents = time / TICK;
  return `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;
};

function cpuInfo({ cpus, cpuModel, cpuFlags }: ProcessFacts): string {
  const one = (cpu: number) =>
    [
      ["processor\t", cpu],
      ["vendor_id\t", "GenuineIntel"],
      ["cpu family\t", 6],
      ["model\t\t", 85],
      ["model name\t", cpuModel],
      ["stepping\t", 7],
      ["cpu MHz\t\t", "1000.000"],
      ["cache size\t", "32768 KB"],
      ["physical id\t", 0],
      ["siblings\t", cpus],
      ["core id\t\t", cpu],
      ["cpu cores\t", cpus],
      ["apicid\t\t", cpu],
      ["fpu\t\t", "yes"],
      ["cpuid level\t", 22],
      ["wp\t\t", "yes"],
      ["flags\t\t", cpuFlags.join(" ")],
      ["bogomips\t", "2000.00"],
      ["clflush size\t", 64],
      ["cache_alignment\t", 64],
      ["address sizes\t", "46 bits physical, 48 bits virtual"],
    ]
      .map(([name, value]) => `${name}: ${value}\n`)
      .join("");
  return Array.from({ length: cpus }, (_, cpu) => `${one(cpu)}\n`).join("");
}

function memInfo({ totalMemory, freeMemory }: ProcessFacts): string {
  const free = freeMemory();
  const rows: readonly (readonly [string, number])[] = [
    ["MemTotal", totalMemory],
    ["MemFree", free],
    ["MemAvailable", free],
    ["Buffers", 0],
    ["Cached", 0],
    ["SwapCached", 0],
    ["SwapTotal", 0],
    ["SwapFree", 0],
    ["Shmem", 0],
    ["CommitLimit", totalMemory],
    ["Committed_AS", totalMemory - free],
  ];
  const lines = rows.map(
    ([name, bytes]) => `${`${name}:`.padEnd(16)}${String(Math.floor(bytes / 1024)).padStart(8)} kB\n`,
  );
  return `${lines.join("")}HugePages_Total:       0\nHugePages_Free:        0\nHugepagesize:       2048 kB\n`;
}

function statText({ process, now }: FilesOptions): string {
  const used = process.cpuTime() / TICK;
  const idle = process.uptime() / TICK - used;
  const line = (name: string) => `${name} ${used} 0 0 ${idle > 0n ? idle : 0n} 0 0 0 0 0 0\n`;
  const each = Array.from({ length: process.cpus }, (_, cpu) => line(`cpu${cpu}`)).join("");
  const boot = (now() - process.uptime()) / NANO;
  return `${line("cpu ")}${each}intr 0\nctxt 0\nbtime ${boot}\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n`;
}

function randomUuid({ random }: FilesOptions): string {
  const bytes = new Uint8Array(16);
  random(bytes);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${[8, 4, 4, 4, 12].map((length, i, all) => hex.slice(sum(all, i), sum(all, i) + length)).join("-")}\n`;
}
const sum = (lengths: readonly number[], before: number): number =>
  lengths.slice(0, before).reduce((total, length) => total + length, 0);

const text = (path: string, contents: string): SystemRow => ({ path, read: () => `${contents}\n` });
const facts = (path: string, read: (process: ProcessFacts) => string): SystemRow => ({
  path,
  read: ({ process }) => `${read(process)}\n`,
});

export const procRows: readonly SystemRow[] = [
  { path: "cpuinfo", read: ({ process }) => cpuInfo(process) },
  { path: "meminfo", read: ({ process }) => memInfo(process) },
  { path: "stat", read: statText },
  facts("uptime", (process) => `${seconds(process.uptime())} ${seconds(process.uptime())}`),
  facts("loadavg", ({ pid, threads }) => `0.00 0.00 0.00 1/${threads().length} ${pid}`),
  facts("version", ({ kernelRelease, kernelVersion }) => `Linux version ${kernelRelease} (blackout) ${kernelVersion}`),
  { path: "filesystems", read: () => "nodev\tsysfs\nnodev\ttmpfs\nnodev\tproc\nnodev\tdevtmpfs\n\text4\n" },
  { path: "devices", read: () => "Character devices:\n  1 mem\n  5 /dev/tty\n136 pts\n\nBlock devices:\n259 blkext\n" },
  text("cmdline", "quiet"),
  facts("sys/kernel/osrelease", ({ kernelRelease }) => kernelRelease),
  facts("sys/kernel/version", ({ kernelVersion }) => kernelVersion),
  facts("sys/kernel/hostname", ({ hostname }) => hostname),
  text("sys/kernel/ostype", "Linux"),
  text("sys/kernel/pid_max", "32768"),
  text("sys/kernel/threads-max", "126864"),
  text("sys/kernel/ngroups_max", "65536"),
  text("sys/kernel/rtsig-max", "63432"),
  text("sys/kernel/cap_last_cap", "40"),
  text("sys/kernel/randomize_va_space", "0"),
  text("sys/kernel/random/boot_id", "b1ac0047-0000-4000-8000-000000000001"),
  text("sys/kernel/random/entropy_avail", "256"),
  { path: "sys/kernel/random/uuid", read: randomUuid },
  text("sys/vm/overcommit_memory", "0"),
  text("sys/vm/max_map_count", "65530"),
  text("sys/vm/mmap_min_addr", "65536"),
  text("sys/vm/nr_hugepages", "0"),
  text("sys/fs/file-max", "1048576"),
  text("sys/fs/nr_open", "1048576"),
  text("sys/fs/pipe-max-size", "1048576"),
];

export const sysRows: readonly SystemRow[] = [
  facts("devices/system/cpu/online", cpuList),
  facts("devices/system/cpu/possible", cpuList),
  facts("devices/system/cpu/present", cpuList),
  text("devices/system/node/online", "0"),
  text("devices/system/node/possible", "0"),
  facts("devices/system/node/node0/cpulist", cpuList),
  text("kernel/mm/transparent_hugepage/enabled", "always madvise [never]"),
  text("kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152"),
  // Not "cpu_cache": without eADR a store is safe only after a flush and a fence.
  text("bus/nd/devices/region0/persistence_domain", "memory_controller"),
  text("bus/nd/devices/region0/deep_flush", "1"),
  text("block/pmem0/dev", "259:0"),
  text("block/pmem0/size", "2097152"),
  text("block/pmem0/queue/dax", "1"),
  text("block/pmem0/queue/logical_block_size", "4096"),
  text("block/pmem0/queue/rotational", "0"),
  text("block/pmem0/dax/write_cache", "write back"),
];

/** Links of /sys: path and target. No device is a device DAX, so /sys/dev/char is empty. */
export const sysLinks: readonly (readonly [string, string])[] = [["dev/block/259:0", "../../block/pmem0"]];
export const emptySysDirectories: readonly string[] = ["dev/char", "class", "fs", "kernel/mm/hugepages"];
