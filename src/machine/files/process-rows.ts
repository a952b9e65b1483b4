/** The texts of /proc/<pid> and /proc/<pid>/task/<tid> (proc_pid_*(5)), a row per file, computed from ProcessFacts. */

import { mounts } from "./mounts.ts";
import { bytesOf } from "./text.ts";
import type { FilesOptions, ProcessFacts } from "./types.ts";

export interface ProcessRow {
  readonly name: string;
  readonly mode: number;
  readonly read: (options: FilesOptions, thread: number) => string | Uint8Array;
  readonly write?: (options: FilesOptions, thread: number, text: string) => void;
}

const PAGE = 4096;
const TICK = 10_000_000n;
const kilobytes = (bytes: number): string => `${String(Math.ceil(bytes / 1024)).padStart(8)} kB`;
const pages = (bytes: number): number => Math.ceil(bytes / PAGE);
const hex16 = (value: bigint): string => value.toString(16).padStart(16, "0");
const nulEnded = (strings: readonly string[]): string => strings.map((text) => `${text}\0`).join("");

/** 52 numbers, most of which nobody asks for. */
function statLine({ process }: FilesOptions, thread: number): string {
  const memory = process.memory();
  const ticks = process.cpuTime() / TICK;
  const signals = process.signals(thread);
  const low = (mask: bigint) => BigInt.asUintN(31, mask);
  const head = [thread, `(${process.threadName(thread)})`, process.threadState(thread), process.parent];
  const session = [process.pid, process.pid, 0, -1, 4194304, 0, 0, 0, 0];
  const times = [ticks, 0, 0, 0, 20, 0, process.threads().length, 0, 0];
  const sizes = [memory.virtualBytes, pages(memory.residentBytes), "18446744073709551615", 1, 1, 0, 0, 0];
  const masks = [low(signals.pending), low(signals.blocked), low(signals.ignored), low(signals.caught)];
  const tail = [0, 0, 0, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  return `${[...head, ...session, ...times, ...sizes, ...masks, ...tail].join(" ")}\n`;
}

function statusText({ process, uid, gid }: FilesOptions, thread: number): string {
  const memory = process.memory();
  const signals = process.signals(thread);
  const state = { R: "R (running)", S: "S (sleeping)", Z: "Z (zombie)" }[process.threadState(thread)];
  const none = hex16(0n);
  const cpuMask = ((1n << BigInt(process.cpus)) - 1n).toString(16);
  const rows: readonly (readonly [string, string | number])[] = [
    ["Name", process.threadName(thread)],
    ["Umask", "0022"],
    ["State", state],
    ["Tgid", process.pid],
    ["Ngid", 0],
    ["Pid", thread],
    ["PPid", process.parent],
    ["TracerPid", 0],
    ["Uid", `${uid}\t${uid}\t${uid}\t${uid}`],
    ["Gid", `${gid}\t${gid}\t${gid}\t${gid}`],
    ["FDSize", 64],
    ["Groups", `${gid} `],
    ["VmPeak", kilobytes(memory.peakVirtualBytes)],
    ["VmSize", kilobytes(memory.virtualBytes)],
    ["VmLck", kilobytes(0)],
    ["VmPin", kilobytes(0)],
    ["VmHWM", kilobytes(memory.residentBytes)],
    ["VmRSS", kilobytes(memory.residentBytes)],
    ["VmData", kilobytes(memory.dataBytes)],
    ["VmStk", kilobytes(memory.stackBytes)],
    ["VmExe", kilobytes(memory.textBytes)],
    ["VmSwap", kilobytes(0)],
    ["Threads", process.threads().length],
    ["SigQ", "0/63432"],
    ["SigPnd", hex16(signals.pending)],
    ["ShdPnd", none],
    ["SigBlk", hex16(signals.blocked)],
    ["SigIgn", hex16(signals.ignored)],
    ["SigCgt", hex16(signals.caught)],
    ["CapInh", none],
    ["CapPrm", none],
    ["CapEff", none],
    ["CapBnd", none],
    ["CapAmb", none],
    ["NoNewPrivs", 1],
    ["Seccomp", 0],
    ["Cpus_allowed", cpuMask],
    ["Cpus_allowed_list", cpuList(process)],
    ["Mems_allowed", "1"],
    ["Mems_allowed_list", "0"],
    ["voluntary_ctxt_switches", 0],
    ["nonvoluntary_ctxt_switches", 0],
  ];
  return rows.map(([name, value]) => `${name}:\t${value}\n`).join("");
}

export const cpuList = ({ cpus }: ProcessFacts): string => (cpus > 1 ? `0-${cpus - 1}` : "0");

function limitsText({ process }: FilesOptions): string {
  const line = (name: string, soft: string, hard: string, unit: string) =>
    `${name.padEnd(26)}${soft.padEnd(21)}${hard.padEnd(21)}${unit.padEnd(10)}\n`;
  const rows = process.limits().map(({ name, soft, hard, unit }) => line(name, String(soft), String(hard), unit));
  return line("Limit", "Soft Limit", "Hard Limit", "Units") + rows.join("");
}

export const mountsText = (): string =>
  mounts
    .filter(({ path }) => path !== undefined)
    .map(({ source, path, type, options }) => `${source} ${path} ${type} ${options} 0 0\n`)
    .join("");

const mountInfoText = (): string =>
  mounts
    .map(({ source, path, type, options, dev }, i) => {
      const device = `${dev >> 8}:${dev & 0xff}`;
      return path && `${i + 1} ${i === 0 ? 0 : 1} ${device} / ${path} ${options} - ${type} ${source} ${options}\n`;
    })
    .filter((line) => line !== undefined)
    .join("");

function statmText({ process }: FilesOptions): string {
  const { virtualBytes, residentBytes, textBytes, dataBytes, stackBytes } = process.memory();
  const data = dataBytes + stackBytes;
  return `${[virtualBytes, residentBytes, 0, textBytes, 0, data, 0].map(pages).join(" ")}\n`;
}

/** The name up to a line's end, at most 15 bytes (TASK_COMM_LEN). */
const setName = ({ process }: FilesOptions, thread: number, text: string): void =>
  process.setThreadName(thread, (text.split("\n")[0] as string).slice(0, 15));

// biome-ignore format: columns stay aligned
export const processRows: readonly ProcessRow[] = [
  { name: "auxv",          mode: 0o400, read: ({ process }) => process.auxiliaryVector() },
  { name: "cgroup",        mode: 0o444, read: () => "0::/\n" },
  { name: "cmdline",       mode: 0o444, read: ({ process }) => nulEnded(process.commandLine()) },
  { name: "comm",          mode: 0o644, read: ({ process }, thread) => `${process.threadName(thread)}\n`, write: setName },
  { name: "environ",       mode: 0o400, read: ({ process }) => nulEnded(process.environment()) },
  { name: "limits",        mode: 0o444, read: limitsText },
  { name: "loginuid",      mode: 0o444, read: () => "4294967295" },
  { name: "maps",          mode: 0o444, read: ({ process }) => process.maps() },
  { name: "mountinfo",     mode: 0o444, read: mountInfoText },
  { name: "mounts",        mode: 0o444, read: mountsText },
  { name: "oom_score_adj", mode: 0o444, read: () => "0\n" },
  { name: "stat",          mode: 0o444, read: statLine },
  { name: "statm",         mode: 0o444, read: statmText },
  { name: "status",        mode: 0o444, read: statusText },
];

export const rowBytes = (row: ProcessRow, options: FilesOptions, thread: number): Uint8Array => {
  const contents = row.read(options, thread);
  return typeof contents === "string" ? bytesOf(contents) : contents;
};
