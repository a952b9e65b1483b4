/**
 * Puts a blob into a copy of Node, which takes it for its program: a single-file executable as Node's documentation describes, without
 * the tool that it names, which npm would have to fetch. Node looks for a note NODE_SEA_BLOB in its own PT_NOTE segments, and for
 * a digit behind a name, the fuse. Always:
 * - Nothing of the file moves: the note lies behind its end, and two of its program headers lead there. PT_NOTE becomes ours; the
 *   build's own note is only for debuggers. PT_GNU_RELRO, which protects tables against writes once they are filled, becomes the
 *   PT_LOAD that maps the note: it stands behind the others, as its address does.
 */
import { assertElf, headersOf, types, wordsOf } from "./program-headers.mjs";

const page = 0x1000;
const readable = 4;
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:";
const noteName = Buffer.from("NODE_SEA_BLOB\0");
const up = (number, to) => Math.ceil(number / to) * to;

function noteOf(blob) {
  const head = Buffer.alloc(12 + up(noteName.length, 4));
  head.writeUInt32LE(noteName.length, 0);
  head.writeUInt32LE(blob.length, 4);
  noteName.copy(head, 12);
  return Buffer.concat([head, blob]);
}

/** @returns {Buffer} the executable */
export function withBlob(node, blob) {
  assertElf(node);
  const elf = Buffer.from(node);
  const headers = headersOf(elf);
  const note = headers.find(({ type }) => type === types.note);
  const protectedTables = headers.find(({ type }) => type === types.relro);
  const lit = elf.indexOf(`${fuse}0`);
  if (note === undefined || protectedTables === undefined || lit < 0)
    throw new Error(
      "This Node cannot be made an executable: it lacks a note, PT_GNU_RELRO or the fuse of single-file programs.",
    );
  const loads = headers.filter(({ type }) => type === types.load);
  const end = Math.max(...loads.map(({ address, memory }) => address + memory));
  if (loads.some(({ at }) => at > protectedTables.at))
    throw new Error("PT_GNU_RELRO stands before a segment that is loaded.");
  const data = noteOf(blob);
  const place = { offset: up(elf.length, page), address: up(end, page) + page, size: data.length };
  wordsOf(elf, note.at, { type: types.note, flags: readable, ...place, align: 4 });
  wordsOf(elf, protectedTables.at, { type: types.load, flags: readable, ...place, align: page });
  elf.write("1", lit + fuse.length);
  return Buffer.concat([elf, Buffer.alloc(place.offset - elf.length), data]);
}
