/** Variables with one place for the whole run: global and static ones, those of functions included, by address. */
import type { Abbreviation } from "./abbreviations.ts";
import { attributes, tags } from "./constants.ts";
import { type Entry, readEntry, visitEntries } from "./entries.ts";
import type { TypeId } from "./types.ts";
import type { Unit } from "./units.ts";
import { readVariable } from "./variables.ts";

export interface GlobalVariable {
  /** With namespaces: `shop::stock`. */
  readonly name: string;
  readonly type: TypeId | undefined;
  /** The file's own. */
  readonly address: number;
}

const DW_OP_ADDR = 0x03;
const DW_OP_ADDRX = 0xa1;

const MAX_DEPTH = 500;

export function visitGlobals(unit: Unit, found: (variable: GlobalVariable) => void): void {
  const scopes: string[] = [];
  const enter = (at: number, abbreviation: Abbreviation) => {
    const scope = scopes.at(-1) ?? "";
    const isNamespace = abbreviation.tag === tags.namespace;
    if (abbreviation.tag === tags.variable) readGlobal(unit, at, scope, found);
    if (scopes.length > MAX_DEPTH) throw unit.cursorAt(at).fail();
    if (!abbreviation.hasChildren) return;
    const name = isNamespace ? readEntry(unit, at)?.text(attributes.name) : undefined;
    scopes.push(name === undefined ? scope : `${scope}${name}::`);
  };
  visitEntries(unit, unit.rootOffset, enter, () => scopes.pop());
}

function readGlobal(unit: Unit, at: number, scope: string, found: (variable: GlobalVariable) => void): void {
  const entry = readEntry(unit, at) as Entry;
  const address = fixedAddress(unit, entry.block(attributes.location));
  const variable = address === undefined ? undefined : readVariable(entry);
  if (address !== undefined && variable !== undefined)
    found({ name: scope + variable.name, type: variable.type, address });
}

/** The address of an expression that is nothing else. */
function fixedAddress(unit: Unit, expression: Uint8Array | undefined): number | undefined {
  if (expression === undefined) return undefined;
  const [operation, ...bytes] = expression;
  if (operation === DW_OP_ADDR && bytes.length === unit.addressSize)
    return bytes.reduce((sum, byte, index) => sum + byte * 256 ** index, 0);
  if (operation !== DW_OP_ADDRX || bytes.length > 4) return undefined;
  return unit.addressOfIndex(bytes.reduce((sum, byte, index) => sum + (byte & 0x7f) * 128 ** index, 0));
}
