/** A growable byte buffer with WebAssembly's LEB128 integers. Only ever appended to. */
export class Bytes {
  #data: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 256) {
    this.#data = new Uint8Array(capacity);
  }

  #reserve(extra: number): void {
    if (this.length + extra <= this.#data.length) return;
    const grown = new Uint8Array(Math.max(this.#data.length * 2, this.length + extra));
    grown.set(this.#data.subarray(0, this.length));
    this.#data = grown;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#data[this.length++] = value;
  }

  all(values: ArrayLike<number>): void {
    this.#reserve(values.length);
    this.#data.set(values, this.length);
    this.length += values.length;
  }

  append(other: Bytes): void {
    this.all(other.view());
  }

  unsigned(value: number): void {
    this.#reserve(6);
    let rest = value;
    while (rest >= 0x80) {
      this.#data[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#data[this.length++] = rest;
  }

  signed32(value: number): void {
    this.#reserve(6);
    let rest = value | 0;
    for (;;) {
      const low = rest & 0x7f;
      rest >>= 7;
      const done = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
      this.#data[this.length++] = done ? low : low | 0x80;
      if (done) return;
    }
  }

  signed64(value: bigint): void {
    let rest = BigInt.asIntN(64, value);
    if (rest >= -0x8000_0000n && rest <= 0x7fff_ffffn) return this.signed32(Number(rest));
    for (;;) {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      const done = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
      this.byte(done ? low : low | 0x80);
      if (done) return;
    }
  }

  name(text: string): void {
    const encoded = new TextEncoder().encode(text);
    this.unsigned(encoded.length);
    this.all(encoded);
  }

  view(): Uint8Array<ArrayBuffer> {
    return this.#data.subarray(0, this.length);
  }
}
