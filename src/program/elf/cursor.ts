/**
 * A reading position in bytes, little-endian. Always:
 * - A read past the end throws the error the cursor was given, and never reads outside [start, end).
 * - 64-bit values come back as numbers; those of 2^53 and more lose low bits, which range checks then refuse.
 */
import type { InputError } from "../../base/index.ts";

const decoder = new TextDecoder();
const TWO_32 = 0x1_0000_0000;
/** Longer than any real name; keeps a crafted file from making every name as long as the file. */
const MAX_TEXT = 0x1_0000;

export class Cursor {
  readonly bytes: Uint8Array;
  position: number;
  readonly end: number;
  readonly #onShort: () => InputError;

  constructor(bytes: Uint8Array, start: number, end: number, onShort: () => InputError) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
    this.#onShort = onShort;
    if (!(start >= 0 && start <= end && end <= bytes.length)) throw onShort();
  }

  /** The same bytes and error, at another place. */
  at(start: number, end: number = this.end): Cursor {
    return new Cursor(this.bytes, start, end, this.#onShort);
  }

  get atEnd(): boolean {
    return this.position >= this.end;
  }

  fail(): InputError {
    return this.#onShort();
  }

  skip(count: number): void {
    this.#take(count);
  }

  u8(): number {
    const at = this.#take(1);
    return this.bytes[at] as number;
  }

  i8(): number {
    return (this.u8() << 24) >> 24;
  }

  u16(): number {
    const at = this.#take(2);
    const { bytes } = this;
    return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  }

  u24(): number {
    return this.u16() | (this.u8() << 16);
  }

  u32(): number {
    const at = this.#take(4);
    const { bytes } = this;
    const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
    return low + (bytes[at + 3] as number) * 0x100_0000;
  }

  u64(): number {
    const low = this.u32();
    return low + this.u32() * TWO_32;
  }

  /** An unsigned number of one, two, four or eight bytes. */
  unsigned(size: number): number {
    if (size === 8) return this.u64();
    if (size === 4) return this.u32();
    if (size === 2) return this.u16();
    if (size === 1) return this.u8();
    throw this.#onShort();
  }

  /** Unsigned LEB128; groups beyond 64 bits are read and ignored. */
  uleb(): number {
    let byte = this.u8();
    let value = byte & 0x7f;
    let scale = 0x80;
    while (byte >= 0x80) {
      byte = this.u8();
      if (scale < 2 ** 64) value += (byte & 0x7f) * scale;
      scale *= 0x80;
    }
    return value;
  }

  /** Signed LEB128. */
  sleb(): number {
    let byte = this.u8();
    let value = byte & 0x7f;
    let scale = 0x80;
    while (byte >= 0x80) {
      byte = this.u8();
      if (scale < 2 ** 64) value += (byte & 0x7f) * scale;
      scale *= 0x80;
    }
    return (byte & 0x40) !== 0 ? value - scale : value;
  }

  /** The text up to the next NUL, which is consumed. */
  text(): string {
    const start = this.position;
    const limit = Math.min(this.end, start + MAX_TEXT);
    let stop = start;
    while (stop < limit && this.bytes[stop] !== 0) stop++;
    if (stop >= limit) throw this.#onShort();
    this.position = stop + 1;
    return decoder.decode(this.bytes.subarray(start, stop));
  }

  /** The next bytes, as a view. */
  view(count: number): Uint8Array {
    const at = this.#take(count);
    return this.bytes.subarray(at, at + count);
  }

  #take(count: number): number {
    const at = this.position;
    const next = at + count;
    if (!(next <= this.end && count >= 0)) throw this.#onShort();
    this.position = next;
    return at;
  }
}
