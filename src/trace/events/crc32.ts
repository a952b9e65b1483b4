/** CRC-32 as in zlib and PNG (polynomial 0xEDB88320, reflected), eight bytes a step. */
const tables = (() => {
  const all = Array.from({ length: 8 }, () => new Int32Array(256));
  const first = all[0]!;
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    first[byte] = crc;
  }
  for (let table = 1; table < 8; table++)
    for (let byte = 0; byte < 256; byte++) {
      const before = all[table - 1]![byte]!;
      all[table]![byte] = (before >>> 8) ^ first[before & 0xff]!;
    }
  return all as [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];
})();

export function crc32(bytes: Uint8Array): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;
  let crc = -1;
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      t7[crc & 0xff]! ^
      t6[(crc >>> 8) & 0xff]! ^
      t5[(crc >>> 16) & 0xff]! ^
      t4[crc >>> 24]! ^
      t3[bytes[at + 4]!]! ^
      t2[bytes[at + 5]!]! ^
      t1[bytes[at + 6]!]! ^
      t0[bytes[at + 7]!]!;
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
