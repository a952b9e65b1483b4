/** Abbreviation tables (DWARF 5, section 7.5.3): what attributes, in which forms, an entry with a given code has. */
import type { Cursor } from "../cursor.ts";
import { forms } from "./constants.ts";
import { type FormSize, sizeOfForm, type UnitShape } from "./forms.ts";

export interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly attributes: readonly AttributeSpec[];
  /** Sizes of the attributes with neighbouring fixed sizes summed: how to skip an entry quickly. */
  readonly skipPlan: readonly FormSize[];
}

export interface AttributeSpec {
  readonly attribute: number;
  readonly form: number;
  readonly size: FormSize;
  /** The value itself for DW_FORM_implicit_const, else 0. */
  readonly implicit: number;
}

export type Abbreviations = ReadonlyMap<number, Abbreviation>;

export function readAbbreviations(cursor: Cursor, shape: UnitShape): Abbreviations {
  const table = new Map<number, Abbreviation>();
  for (let code = cursor.uleb(); code !== 0; code = cursor.uleb()) {
    const tag = cursor.uleb();
    const hasChildren = cursor.u8() !== 0;
    const attributes = readAttributeSpecs(cursor, shape);
    if (!table.has(code)) table.set(code, { tag, hasChildren, attributes, skipPlan: planSkip(attributes) });
  }
  return table;
}

function readAttributeSpecs(cursor: Cursor, shape: UnitShape): readonly AttributeSpec[] {
  const specs: AttributeSpec[] = [];
  for (;;) {
    const attribute = cursor.uleb();
    const form = cursor.uleb();
    if (attribute === 0 && form === 0) return specs;
    const implicit = form === forms.implicitConst ? cursor.sleb() : 0;
    const size = sizeOfForm(form, shape);
    if (size === undefined) throw cursor.fail();
    specs.push({ attribute, form, size, implicit });
  }
}

function planSkip(specs: readonly AttributeSpec[]): readonly FormSize[] {
  const plan: FormSize[] = [];
  for (const { size } of specs) {
    const last = plan.at(-1);
    if (typeof size === "number" && typeof last === "number") plan[plan.length - 1] = last + size;
    else plan.push(size);
  }
  return plan;
}
