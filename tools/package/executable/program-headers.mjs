/** Program headers of an ELF file for x86-64 (System V ABI, chapter 5). */
export const types = { load: 1, note: 4, relro: 0x6474e552 };

export function assertElf(file) {
  if (file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2) throw new Error("Node's file is no 64-bit ELF file.");
}

export function headersOf(file) {
  const [start, size, count] = [Number(file.readBigUInt64LE(32)), file.readUInt16LE(54), file.readUInt16LE(56)];
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * size;
    return {
      at,
      type: file.readUInt32LE(at),
      address: Number(file.readBigUInt64LE(at + 16)),
      memory: Number(file.readBigUInt64LE(at + 40)),
    };
  });
}

/** Writes a header anew; in memory and in the file it is equally long. */
export function wordsOf(file, at, { type, flags, offset, address, size, align }) {
  file.writeUInt32LE(type, at);
  file.writeUInt32LE(flags, at + 4);
  for (const [index, word] of [offset, address, address, size, size, align].entries())
    file.writeBigUInt64LE(BigInt(word), at + 8 + 8 * index);
}
