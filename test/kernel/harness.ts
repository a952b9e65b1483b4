/** For tests: a kernel over a small file tree in memory, whose system calls are made by setting registers. No CPU runs. */
import { MemoryFiles } from "../../src/host/index.ts";
import { createFiles, defaultFileLimits } from "../../src/machine/files/index.ts";
import {
  Kernel,
  type KernelHooks,
  type KernelOptions,
  type Step,
  type SyscallName,
  syscallNumbers,
} from "../../src/machine/kernel/index.ts";
import { GuestMemory } from "../../src/machine/memory/index.ts";
import { gpr } from "../../src/machine/process/index.ts";

type Entries = ConstructorParameters<typeof MemoryFiles>[0];
const argumentRegisters = [gpr.rdi, gpr.rsi, gpr.rdx, gpr.r10, gpr.r8, gpr.r9] as const;

export interface HarnessOptions {
  readonly entries?: Entries;
  readonly kernel?: Partial<KernelOptions>;
  readonly hooks?: KernelHooks;
  readonly program?: Uint8Array;
  readonly argv?: readonly string[];
  readonly environment?: readonly string[];
}

/** A static program that is never run: one page of code at 0x400000, one of data behind it. */
export function tinyElf(): Uint8Array {
  const bytes = new Uint8Array(0x2000);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(16, 2, true);
  view.setUint16(18, 62, true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, 0x40_0100n, true);
  view.setBigUint64(32, 64n, true);
  view.setUint16(52, 64, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 2, true);
  const segment = (index: number, flags: number, offset: number, address: number, filesz: number, memsz: number) => {
    const at = 64 + 56 * index;
    view.setUint32(at, 1, true);
    view.setUint32(at + 4, flags, true);
    [offset, address, address, filesz, memsz, 0x1000].forEach((value, field) => {
      view.setBigUint64(at + 8 + 8 * field, BigInt(value), true);
    });
  };
  segment(0, 5, 0, 0x40_0000, 0x1000, 0x1000);
  segment(1, 6, 0x1000, 0x40_1000, 0x800, 0x1800);
  bytes.fill(0xaa, 0x1000, 0x2000);
  return bytes;
}

/** A kernel over a file tree in memory, whose /program may be executed. */
function createKernel(
  memory: GuestMemory,
  entries: Entries,
  writeOutput: (bytes: Uint8Array) => void,
  options?: Partial<KernelOptions>,
  hooks?: KernelHooks,
  mode = 0o755,
): Kernel {
  const host = new MemoryFiles(entries);
  host.chmod("/program", mode);
  return new Kernel(
    memory,
    (ports) =>
      createFiles({
        ...ports,
        host,
        root: "/",
        grants: [],
        workingDirectory: "/",
        uid: 1000,
        gid: 1000,
        umask: 0o22,
        limits: defaultFileLimits,
        streams: {
          readInput: () => new Uint8Array(),
          writeOutput: (_stream, _offset, bytes) => writeOutput(bytes),
          terminals: [false, false, false],
        },
      }),
    options,
    hooks,
  );
}

/** Loads a program into empty memory and does no more. */
export function bootKernel(memory: GuestMemory, entries: Entries, path: string, mode: number): Kernel {
  const kernel = createKernel(memory, entries, () => {}, {}, {}, mode);
  kernel.boot(path, [path], []);
  return kernel;
}

export class Harness {
  readonly memory = new GuestMemory();
  readonly kernel: Kernel;
  readonly notices: string[] = [];
  readonly output: string[] = [];
  /** Free guest memory for buffers. */
  readonly scratch: number;
  lastStep: Step = "continue";

  constructor(options: HarnessOptions = {}) {
    const entries = { "/tmp": { directory: true as const, mode: 0o1777 }, ...options.entries };
    this.kernel = createKernel(
      this.memory,
      { ...entries, "/program": options.program ?? tinyElf() },
      (bytes) => this.output.push(new TextDecoder().decode(bytes)),
      options.kernel,
      { notice: (line) => this.notices.push(line), ...options.hooks },
    );
    const aliasesOf = (page: number) => this.kernel.aliasesOf(page);
    const appear = (page: number) => this.kernel.appear(page);
    this.memory.hooks = { ...this.memory.hooks, aliasesOf, appear };
    this.kernel.boot("/program", options.argv ?? ["program"], options.environment ?? []);
    this.kernel.schedule();
    this.scratch = this.call("mmap", 0, 0x10_000, 3, 0x22, -1, 0);
  }

  /** Makes a call and leaves its answer in `lastStep`. */
  start(name: SyscallName | number, ...args: (number | bigint)[]): Step {
    const { cpu } = this.kernel;
    const number = typeof name === "number" ? name : syscallNumbers[name];
    cpu.setGpr(gpr.rax, BigInt(number));
    args.forEach((value, index) => {
      cpu.setGpr(argumentRegisters[index]!, BigInt.asUintN(64, BigInt(value)));
    });
    this.lastStep = this.kernel.syscall();
    return this.lastStep;
  }
  get result(): number {
    return Number(BigInt.asIntN(64, this.kernel.cpu.gpr(gpr.rax)));
  }
  /** Makes a call that does not block; its result. */
  call(name: SyscallName | number, ...args: (number | bigint)[]): number {
    this.start(name, ...args);
    return this.result;
  }

  /** Puts a C string into scratch memory. */
  text(text: string, at = 0): number {
    this.memory.write(this.scratch + at, new TextEncoder().encode(`${text}\0`));
    return this.scratch + at;
  }
  bytesAt(address: number, length: number): number[] {
    return [...this.memory.bytes.subarray(address, address + length)];
  }
  textAt(address: number, length: number): string {
    return new TextDecoder().decode(this.memory.bytes.subarray(address, address + length));
  }
}
