/**
 * iced-x86 behind one decoder that is used again and again: code is copied into its window, and a decoded instruction is
 * read where the decoder puts it, since a call for each of its fields costs more than decoding. Always:
 * - Where the fields lie is a matter of the decoder's one version that package.json names; decode.test.ts compares them
 *   with the decoder's own answers, form by form.
 * - The decoder unpacks its tables when it is first used. A build keeps what its memory is then (`decoderImage`); a
 *   command begins with that or, without it, unpacks them again.
 */
import iced from "iced-x86";
import { prepared } from "../../base/index.ts";

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  __wbindgen_malloc(bytes: number, alignment: number): number;
  decoder_new(result: number, bitness: number, code: number, length: number, options: number): void;
  decoder_set_ip(decoder: number, address: bigint): void;
  decoder_set_position(result: number, decoder: number, position: number): void;
  decoder_decodeOut(decoder: number, instruction: number): void;
}
const exports = (iced as unknown as { readonly __wasm: Exports }).__wasm;
/** Asked for on every instruction, of an object with two thousand others. */
const { memory, decoder_decodeOut: decodeOut, decoder_set_ip: setAddress, decoder_set_position: setPosition } = exports;

/** Code given to the decoder at once: 64 instructions of up to 15 bytes, and as many bytes as the last may lack. */
export const windowBytes = 1024;
const windowRoom = windowBytes + 16;

/** Offsets in a decoded instruction. */
export const field = {
  displacement: 16,
  operandKinds: 24,
  flags: 28,
  immediate: 32,
  registers: 36,
  code: 40,
  scale: 42,
  base: 43,
  index: 44,
  displacementSize: 45,
  length: 46,
} as const;
/** Bits of `flags`: the segment prefix counts from es = 1. */
export const flagBits = { segmentShift: 5, segmentMask: 7, rep: 1 << 29, repne: 1 << 30, lock: 1 << 31 } as const;

/** Puts back the decoder's memory from the first byte on that using the decoder changes; where that is, its head says. */
function restore(image: Uint8Array): void {
  const start = new DataView(image.buffer, image.byteOffset).getUint32(0, true);
  const missing = start + image.length - headBytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 0x1_0000));
  new Uint8Array(memory.buffer).set(image.subarray(headBytes), start);
}
const headBytes = 4;

/** Of what the decoder's functions have to say about how they went. */
const resultBytes = 16;

export class Decoder {
  readonly instruction = new iced.Instruction();
  /** Where its decoded instruction lies. */
  readonly at: number = (this.instruction as unknown as { readonly __wbg_ptr: number }).__wbg_ptr;
  readonly #result: number = exports.__wbindgen_malloc(resultBytes, resultBytes) >>> 0;
  readonly #window: number = exports.__wbindgen_malloc(windowRoom, 1) >>> 0;
  readonly #decoder: number;
  bytes = new Uint8Array(memory.buffer);
  words = new Uint32Array(memory.buffer);
  quads = new BigInt64Array(memory.buffer);

  constructor() {
    exports.decoder_new(this.#result, 64, this.#window, windowRoom, iced.DecoderOptions.None);
    this.#refresh();
    this.#decoder = this.words[this.#result >>> 2]!;
  }

  /** The instructions that `next` decodes lie one after the other in `code`, whose first byte is at `address`. */
  begin(code: Uint8Array, address: number): void {
    this.#refresh();
    this.bytes.set(code, this.#window);
    setPosition(this.#result, this.#decoder, 0);
    setAddress(this.#decoder, BigInt(address));
  }

  /** What lies behind the code in the window is decoded too: it is the caller who knows where the code ends. */
  next(): void {
    decodeOut(this.#decoder, this.at);
  }

  /** A memory that grew has another buffer, and the old one no length. */
  #refresh(): void {
    if (this.bytes.length > 0) return;
    this.bytes = new Uint8Array(memory.buffer);
    this.words = new Uint32Array(memory.buffer);
    this.quads = new BigInt64Array(memory.buffer);
  }
}

let decoder: Decoder | undefined;

export function theDecoder(): Decoder {
  if (decoder === undefined) {
    const image = prepared("decoder");
    if (image) restore(image);
    decoder = new Decoder();
  }
  return decoder;
}

/** The difference that the first use makes, so only before anything has been decoded. */
export function decoderImage(): Uint8Array {
  const before = new Uint8Array(memory.buffer.slice(0));
  theDecoder();
  const after = new Uint8Array(memory.buffer);
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  const image = new Uint8Array(headBytes + after.length - start);
  new DataView(image.buffer).setUint32(0, start, true);
  image.set(after.subarray(start), headBytes);
  return image;
}
