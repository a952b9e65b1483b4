/** The layouts of a batch: what the runner reads and writes, field by field. All numbers little-endian. */

/** A case: the state to load and the bytes to put into memory first. */
export const inputLayout = {
  gpr: 0,
  rflags: 128,
  fsBase: 136,
  gsBase: 144,
  /** Two addresses, 0 for none; each names 128 bytes of writable memory. */
  patchAddress: 152,
  /** The x87 and SSE state as FXSAVE64 lays it out. */
  fx: 176,
  patch: 688,
  /** Bits 128 to 255 of the YMM registers. */
  uppers: 944,
  size: 1200,
} as const;
export const patchCount = 2;
export const patchBytes = 128;
export const uppersBytes = 256;

/** What became of a case; `changes` pairs of (address, eight bytes) follow. */
export const outputLayout = {
  gpr: 0,
  rflags: 128,
  fsBase: 136,
  gsBase: 144,
  rip: 152,
  signal: 160,
  code: 164,
  address: 168,
  fx: 176,
  changes: 688,
  error: 692,
  uppers: 704,
  size: 960,
} as const;
export const changeBytes = 16;

/** A block of code with its cases: address, length and number of cases, then 256 bytes of code, then the cases. */
export const groupLayout = { address: 0, length: 4, cases: 8, code: 16, size: 272 } as const;

export const fxLayout = { fcw: 0, fsw: 2, tags: 4, mxcsr: 24, mxcsrMask: 28, st: 32, xmm: 160, size: 512 } as const;

/** One guest state, as both inputs and outputs begin. */
export interface Case {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

export const asCase = (bytes: Uint8Array): Case => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
});
