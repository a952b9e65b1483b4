/** A handwritten ELF64 program of one segment: the smallest thing Linux would run. Fields can be overridden. */

export interface MinimalOptions {
  readonly type?: number;
  readonly machine?: number;
  readonly fileClass?: number;
  readonly encoding?: number;
  readonly phnum?: number;
  readonly phentsize?: number;
  readonly phoff?: bigint;
  readonly loads?: readonly MinimalLoad[];
}

export interface MinimalLoad {
  readonly type?: number;
  readonly flags?: number;
  readonly offset?: bigint;
  readonly vaddr?: bigint;
  readonly filesz?: bigint;
  readonly memsz?: bigint;
  readonly align?: bigint;
}

/** mov $60, %eax; xor %edi, %edi; syscall: exits with 0. */
const exitCode = [0xb8, 60, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05];

export function minimalElf(options: MinimalOptions = {}): Uint8Array {
  const loads = options.loads ?? [{}];
  const codeAt = 64 + 56 * loads.length;
  const bytes = new Uint8Array(codeAt + exitCode.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, options.fileClass ?? 2, options.encoding ?? 1, 1]);
  const little = (options.encoding ?? 1) === 1;
  view.setUint16(16, options.type ?? 2, little);
  view.setUint16(18, options.machine ?? 62, little);
  view.setUint32(20, 1, little);
  view.setBigUint64(24, BigInt(0x400000 + codeAt), little);
  view.setBigUint64(32, options.phoff ?? 64n, little);
  view.setUint16(52, 64, little);
  view.setUint16(54, options.phentsize ?? 56, little);
  view.setUint16(56, options.phnum ?? loads.length, little);
  loads.forEach((load, index) => {
    const at = 64 + 56 * index;
    view.setUint32(at, load.type ?? 1, true);
    view.setUint32(at + 4, load.flags ?? 5, true);
    view.setBigUint64(at + 8, load.offset ?? 0n, true);
    view.setBigUint64(at + 16, load.vaddr ?? 0x400000n, true);
    view.setBigUint64(at + 32, load.filesz ?? BigInt(bytes.length), true);
    view.setBigUint64(at + 40, load.memsz ?? BigInt(bytes.length), true);
    view.setBigUint64(at + 48, load.align ?? 4096n, true);
  });
  bytes.set(exitCode, codeAt);
  return bytes;
}
