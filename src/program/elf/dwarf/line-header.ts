/** The header of a line table (DWARF 5, section 6.2.4; older versions in DWARF 4, same section): its files above all. */
import type { Cursor } from "../cursor.ts";
import { attributes, forms } from "./constants.ts";
import { isStringIndex, readNumber, sizeOfForm, skipSize, type UnitShape } from "./forms.ts";
import { readInitialLength, type Unit } from "./units.ts";

export interface LineHeader {
  readonly programStart: number;
  readonly end: number;
  readonly minInstructionLength: number;
  readonly maxOperations: number;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  /** Number of operands of standard opcode 1, 2, … */
  readonly operandCounts: readonly number[];
  /** Full paths, indexed as the program and the entries count them. */
  readonly files: readonly (string | undefined)[];
}

export function readLineHeader(cursor: Cursor, unit: Unit): LineHeader {
  const { length, offsetSize } = readInitialLength(cursor);
  const end = cursor.position + length;
  const version = cursor.u16();
  if (version < 2 || version > 5) throw cursor.fail();
  const addressSize = version >= 5 ? cursor.u8() : unit.addressSize;
  if (version >= 5) cursor.skip(1); // segment_selector_size
  const shape: UnitShape = { version, addressSize, offsetSize };
  const headerLength = cursor.unsigned(offsetSize);
  const programStart = cursor.position + headerLength;
  const minInstructionLength = cursor.u8();
  const maxOperations = version >= 4 ? cursor.u8() : 1;
  cursor.skip(1); // default_is_stmt
  const [lineBase, lineRange, opcodeBase] = [cursor.i8(), cursor.u8(), cursor.u8()];
  if (lineRange === 0) throw cursor.fail();
  const operandCounts = Array.from({ length: Math.max(opcodeBase - 1, 0) }, () => cursor.u8());
  const files = version >= 5 ? readFiles(cursor, unit, shape) : readOldFiles(cursor, unit);
  return {
    programStart,
    end,
    minInstructionLength,
    maxOperations,
    lineBase,
    lineRange,
    opcodeBase,
    operandCounts,
    files,
  };
}

const isAbsolute = (path: string) => path.startsWith("/");
const join = (directory: string | undefined, name: string) =>
  directory === undefined || directory === "" || isAbsolute(name) ? name : `${directory}/${name}`;

const compilationDirectory = (unit: Unit) => unit.root.text(attributes.compDir);

/** Before version 5: names end in an empty name, files count from 1, directory 0 is the compilation's. */
function readOldFiles(cursor: Cursor, unit: Unit): readonly (string | undefined)[] {
  const home = compilationDirectory(unit);
  const directories = [home ?? ""];
  for (let name = cursor.text(); name !== ""; name = cursor.text()) directories.push(join(home, name));
  const files: (string | undefined)[] = [undefined];
  for (let name = cursor.text(); name !== ""; name = cursor.text()) {
    files.push(join(directories[cursor.uleb()], name));
    cursor.uleb(); // time of last change
    cursor.uleb(); // size
  }
  return files;
}

interface FileName {
  readonly name: string;
  readonly directory: number;
}

/** From version 5: both lists say themselves how their entries look, and both count from 0. */
function readFiles(cursor: Cursor, unit: Unit, shape: UnitShape): readonly string[] {
  const home = compilationDirectory(unit);
  const directories = readNames(cursor, unit, shape).map(({ name }) => join(home, name));
  return readNames(cursor, unit, shape).map(({ name, directory }) => join(directories[directory], name));
}

const contents = { path: 1, directoryIndex: 2 } as const;

function readNames(cursor: Cursor, unit: Unit, shape: UnitShape): readonly FileName[] {
  const format = Array.from({ length: cursor.u8() }, () => ({ content: cursor.uleb(), form: cursor.uleb() }));
  const count = cursor.uleb();
  // Entries without bytes would let a crafted count run for ever.
  if (count > cursor.end - cursor.position || (format.length === 0 && count > 0)) throw cursor.fail();
  const names: FileName[] = [];
  for (let index = 0; index < count; index++) {
    let name = "";
    let directory = 0;
    for (const { content, form } of format) {
      if (content === contents.path) name = readText(cursor, form, unit, shape);
      else if (content === contents.directoryIndex) directory = readNumber(cursor, form, 0, shape) ?? 0;
      else skipForm(cursor, form, shape);
    }
    names.push({ name, directory });
  }
  return names;
}

function readText(cursor: Cursor, form: number, unit: Unit, shape: UnitShape): string {
  if (form === forms.string) return cursor.text();
  const value = readNumber(cursor, form, 0, shape);
  if (value === undefined) throw cursor.fail();
  if (isStringIndex(form)) return unit.textOfIndex(value);
  return unit.info.sections.cursor(form === forms.lineStrp ? "line_str" : "str", value).text();
}

function skipForm(cursor: Cursor, form: number, shape: UnitShape): void {
  const size = sizeOfForm(form, shape);
  if (size === undefined) throw cursor.fail();
  skipSize(cursor, size, shape);
}
