/**
 * Which unit describes an address. .debug_aranges (DWARF 5, section 6.1.2) answers for the units it lists; the others
 * are asked by reading the one entry at their root, or, where that has no addresses, their line table.
 */
import type { Cursor } from "../cursor.ts";
import { type Interval, IntervalIndex } from "../intervals.ts";
import { attributes } from "./constants.ts";
import { LineTable } from "./lines.ts";
import { type Range, rangesOf } from "./ranges.ts";
import { type DebugInfo, readInitialLength, type Unit } from "./units.ts";

type Extent = Interval<Unit>;

/** Decides what an unreadable unit means; here it is left out. */
type Attempt = <T>(read: () => T) => T | undefined;

export class UnitIndex {
  readonly #info: DebugInfo;
  readonly #attempt: Attempt;
  readonly #listed: IntervalIndex<Unit>;
  readonly #isListed: ReadonlySet<Unit>;
  #others: IntervalIndex<Unit> | undefined;

  constructor(info: DebugInfo, attempt: Attempt) {
    this.#info = info;
    this.#attempt = attempt;
    const listed = attempt(() => readListedExtents(info)) ?? [];
    this.#listed = new IntervalIndex(listed);
    this.#isListed = new Set(listed.map(({ value }) => value));
  }

  /** Listed units first: the others are read when nothing that is listed would do. */
  *at(address: number): Generator<Unit> {
    yield* this.#listed.at(address);
    this.#others ??= this.#readOthers();
    yield* this.#others.at(address);
  }

  #readOthers(): IntervalIndex<Unit> {
    const others = this.#info.units.filter((unit) => !this.#isListed.has(unit));
    const extents = others.flatMap((unit) =>
      (this.#attempt(() => rangesOfUnit(unit)) ?? []).map(({ low, high }) => ({ low, high, value: unit })),
    );
    return new IntervalIndex(extents);
  }
}

function rangesOfUnit(unit: Unit): readonly Range[] {
  const ranges = rangesOf(unit.root);
  if (ranges.length > 0) return ranges;
  const lines = unit.root.number(attributes.stmtList);
  return lines === undefined || unit.root.has(attributes.lowPc) ? [] : new LineTable(unit, lines).extents;
}

function readListedExtents(info: DebugInfo): readonly Extent[] {
  const cursor = info.sections.cursor("aranges");
  const unitsByOffset = new Map(info.units.map((unit) => [unit.offset, unit]));
  const extents: Extent[] = [];
  while (!cursor.atEnd) readSet(cursor, unitsByOffset, extents);
  return extents;
}

function readSet(cursor: Cursor, units: ReadonlyMap<number, Unit>, extents: Extent[]): void {
  const start = cursor.position;
  const { length, offsetSize } = readInitialLength(cursor);
  const end = cursor.position + length;
  cursor.skip(2); // version
  const unit = units.get(cursor.unsigned(offsetSize));
  const [addressSize, segmentSize] = [cursor.u8(), cursor.u8()];
  if (![4, 8].includes(addressSize) || segmentSize !== 0) throw cursor.fail();
  const tuple = 2 * addressSize;
  cursor.position = start + Math.ceil((cursor.position - start) / tuple) * tuple;
  while (cursor.position + tuple <= end) {
    const [low, size] = [cursor.unsigned(addressSize), cursor.unsigned(addressSize)];
    if (low === 0 && size === 0) break;
    if (unit !== undefined && size > 0) extents.push({ low, high: low + size, value: unit });
  }
  cursor.position = cursor.at(end).position;
}
