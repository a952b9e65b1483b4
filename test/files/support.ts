/** A guest's file tree for tests: plain options, streams kept in arrays, and a clock that ticks. */
import type { HostFiles } from "../../src/base/index.ts";
import { createFiles, defaultFileLimits, type FilesOptions, type ProcessFacts } from "../../src/machine/files/index.ts";

export const someProcess: ProcessFacts = {
  pid: 1000,
  parent: 1,
  currentThread: () => 1001,
  threads: () => [1000, 1001],
  threadName: (thread) => (thread === 1000 ? "guest" : "worker"),
  setThreadName: () => undefined,
  threadState: () => "R",
  signals: () => ({ pending: 0n, blocked: 0n, ignored: 0n, caught: 0n }),
  executable: () => "/bin/guest",
  commandLine: () => ["guest", "--flag"],
  environment: () => ["HOME=/home", "LANG=C"],
  auxiliaryVector: () => new Uint8Array(16),
  maps: () => "00400000-00401000 r-xp 00000000 103:00 7 /bin/guest\n",
  memory: () => ({
    virtualBytes: 1 << 20,
    peakVirtualBytes: 1 << 20,
    residentBytes: 1 << 19,
    textBytes: 4096,
    dataBytes: 8192,
    stackBytes: 4096,
  }),
  limits: () => [{ name: "Max open files", soft: 1024, hard: 4096, unit: "files" }],
  cpuTime: () => 1_500_000_000n,
  uptime: () => 2_000_000_000n,
  kernelRelease: "6.1.0-blackout",
  kernelVersion: "#1 SMP",
  hostname: "blackout",
  cpus: 2,
  cpuModel: "Blackout Virtual CPU",
  cpuFlags: ["sse2", "clwb"],
  totalMemory: 2 ** 32,
  freeMemory: () => 2 ** 31,
};

export function makeFiles(host: HostFiles, changed: Partial<FilesOptions> = {}) {
  const output: { stream: 1 | 2; offset: number; text: string }[] = [];
  let time = 1_700_000_000_000_000_000n;
  const options: FilesOptions = {
    host,
    root: "/",
    grants: [],
    workingDirectory: "/",
    uid: 1000,
    gid: 1000,
    umask: 0o22,
    limits: defaultFileLimits,
    streams: {
      readInput: (offset, length) => new TextEncoder().encode("typed by the user").slice(offset, offset + length),
      writeOutput: (stream, offset, bytes) => output.push({ stream, offset, text: new TextDecoder().decode(bytes) }),
      terminals: [false, false, false],
    },
    mapped: { read() {}, write() {}, zero() {}, cut() {}, told() {}, nextStored: () => undefined },
    process: someProcess,
    now: () => {
      time += 1000n;
      return time;
    },
    random: (into) => into.fill(7),
    ...changed,
  };
  return { files: createFiles(options), output };
}

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
export const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
