/**
 * Debugging information entries (DWARF 5, chapter 2). An Entry knows where each of its attributes lies and decodes one
 * only when asked, since most entries are looked at for one or two of them.
 */
import type { Abbreviation, AttributeSpec } from "./abbreviations.ts";
import { forms } from "./constants.ts";
import { isAddressIndex, isStringIndex, isUnitReference, readNumber, sizeOfForm, skipSize } from "./forms.ts";
import type { Unit } from "./units.ts";

export class Entry {
  readonly unit: Unit;
  /** Position in .debug_info: the entry's name across units. */
  readonly offset: number;
  readonly abbreviation: Abbreviation;
  /** Where its first child, or the next entry, begins. */
  readonly end: number;
  readonly #positions: readonly number[];

  constructor(unit: Unit, offset: number, abbreviation: Abbreviation, positions: readonly number[], end: number) {
    this.unit = unit;
    this.offset = offset;
    this.abbreviation = abbreviation;
    this.#positions = positions;
    this.end = end;
  }

  get tag(): number {
    return this.abbreviation.tag;
  }

  has(attribute: number): boolean {
    return this.#indexOf(attribute) >= 0;
  }

  /** A constant, flag or section offset. */
  number(attribute: number): number | undefined {
    return this.#stored(attribute)?.value;
  }

  text(attribute: number): string | undefined {
    const stored = this.#stored(attribute);
    if (stored === undefined) return undefined;
    const { form, value, at } = stored;
    const { sections } = this.unit.info;
    if (form === forms.string) return sections.cursor("info", at).text();
    if (value === undefined) return undefined;
    if (form === forms.strp) return sections.cursor("str", value).text();
    if (form === forms.lineStrp) return sections.cursor("line_str", value).text();
    return isStringIndex(form) ? this.unit.textOfIndex(value) : undefined;
  }

  address(attribute: number): number | undefined {
    const stored = this.#stored(attribute);
    if (stored?.value === undefined) return undefined;
    return isAddressIndex(stored.form) ? this.unit.addressOfIndex(stored.value) : stored.value;
  }

  /** The offset of the entry an attribute refers to; undefined also for one in another file. */
  reference(attribute: number): number | undefined {
    const stored = this.#stored(attribute);
    if (stored?.value === undefined) return undefined;
    const { form, value, at } = stored;
    if (isUnitReference(form)) return this.unit.offset + value;
    if (form === forms.refAddr) return value;
    return form === forms.refSig8 ? this.unit.info.typeOfSignature(at) : undefined;
  }

  form(attribute: number): number | undefined {
    return this.#stored(attribute)?.form;
  }

  /** The bytes of a block or location expression. */
  block(attribute: number): Uint8Array | undefined {
    const stored = this.#stored(attribute);
    if (stored === undefined) return undefined;
    const cursor = this.unit.cursorAt(stored.at);
    const size = sizeOfForm(stored.form, this.unit);
    if (size === "block") return cursor.view(cursor.uleb());
    if (size === "block1") return cursor.view(cursor.u8());
    if (size === "block2") return cursor.view(cursor.u16());
    return size === "block4" ? cursor.view(cursor.u32()) : undefined;
  }

  #indexOf(attribute: number): number {
    const { attributes } = this.abbreviation;
    for (let index = 0; index < attributes.length; index++) {
      if ((attributes[index] as AttributeSpec).attribute === attribute) return index;
    }
    return -1;
  }

  #stored(attribute: number): { form: number; value: number | undefined; at: number } | undefined {
    const index = this.#indexOf(attribute);
    if (index < 0) return undefined;
    const { form: declared, implicit } = this.abbreviation.attributes[index] as AttributeSpec;
    const cursor = this.unit.cursorAt(this.#positions[index] as number);
    const form = declared === forms.indirect ? cursor.uleb() : declared;
    const at = cursor.position;
    return { form, value: readNumber(cursor, form, implicit, this.unit), at };
  }
}

/** The entry at an offset; undefined for the null entry that ends a list of children. */
export function readEntry(unit: Unit, offset: number): Entry | undefined {
  const cursor = unit.cursorAt(offset);
  const code = cursor.uleb();
  if (code === 0) return undefined;
  const abbreviation = unit.abbreviation(code);
  const positions: number[] = [];
  for (const { size } of abbreviation.attributes) {
    positions.push(cursor.position);
    skipSize(cursor, size, unit);
  }
  return new Entry(unit, offset, abbreviation, positions, cursor.position);
}

/** Where the entry after the attributes of one with this abbreviation begins; `at` is just after its code. */
export function skipEntry(unit: Unit, abbreviation: Abbreviation, at: number): number {
  const cursor = unit.cursorAt(at);
  for (const size of abbreviation.skipPlan) skipSize(cursor, size, unit);
  return cursor.position;
}

/**
 * Every entry from one on with all below it, in order; `leave` ends what `enter` began with children. Only offsets and
 * abbreviations are handed out: reading an entry is the visitor's choice.
 */
export function visitEntries(
  unit: Unit,
  start: number,
  enter: (offset: number, abbreviation: Abbreviation) => void,
  leave: () => void,
): void {
  let depth = 0;
  let at = start;
  while (at < unit.end) {
    const cursor = unit.cursorAt(at);
    const code = cursor.uleb();
    const afterCode = cursor.position;
    if (code === 0) {
      if (depth-- === 0) return;
      leave();
      at = afterCode;
    } else {
      const abbreviation = unit.abbreviation(code);
      enter(at, abbreviation);
      if (abbreviation.hasChildren) depth++;
      at = skipEntry(unit, abbreviation, afterCode);
    }
    if (depth === 0) return;
  }
}
