/**
 * How an event lies in memory: a record of 24 bytes, six 32-bit words. Always:
 * - The first word is kind (u8), size (u8) and thread (u16), the others are site, address, stack and value (low, high).
 * - A store's record never crosses an aligned eight bytes (docs/MODEL.md, failure atomicity). Its size is 1 to 8; `furtherPiece`
 *   beside it says that the record before it is an earlier piece of the same store.
 * - An event's position is its sequence number. The words of each kind are listed in docs/btrace.md.
 */
export const recordWords = 6;
export const recordBytes = 4 * recordWords;

/** Words of a record, and the bytes of the first. */
export const inRecord = { head: 0, site: 1, address: 2, stack: 3, low: 4, high: 5 } as const;
export const inHead = { kind: 0, size: 1, thread: 2 } as const;

/** Bits of the size of a store. */
export const pieceBytes = 0x0f;
export const furtherPiece = 0x80;

export const headOf = (code: number, size: number, thread: number): number => code | (size << 8) | (thread << 16);
export const codeIn = (head: number): number => head & 0xff;
/** As it lies there: of a store, with its mark. */
export const sizeIn = (head: number): number => (head >>> 8) & 0xff;
export const threadIn = (head: number): number => head >>> 16;

/** Of a store: how many bytes, and whether the record before it is an earlier piece of it. */
export const storedBytes = (head: number): number => (head >>> 8) & pieceBytes;
export const isFurtherPiece = (head: number): boolean => (head & (furtherPiece << 8)) !== 0;
