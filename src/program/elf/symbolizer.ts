/**
 * From code addresses to source: DWARF where there is any, else the symbol tables. Always:
 * - Addresses are the file's own; a caller subtracts where it loaded the file.
 * - Damaged debug information costs detail, never an exception: `problem` says what was given up.
 * - Only the units asked about are read, and each of them once.
 */
import type { InputError } from "../../base/index.ts";
import { demangle } from "./demangle/index.ts";
import { UnitIndex } from "./dwarf/addresses.ts";
import { attributes } from "./dwarf/constants.ts";
import type { Entry } from "./dwarf/entries.ts";
import { listCopies } from "./dwarf/function-list.ts";
import { indexFunctions, nameOfFunction, readFunctions, type Scope, scopesAt } from "./dwarf/functions.ts";
import { LineTable } from "./dwarf/lines.ts";
import { type DebugOptions, openDebugInfo } from "./dwarf/open.ts";
import type { Range } from "./dwarf/ranges.ts";
import type { DebugInfo, Unit } from "./dwarf/units.ts";
import type { IntervalIndex } from "./intervals.ts";
import type { ElfFile } from "./read.ts";
import { Salvage } from "./salvage.ts";
import { indexSymbols } from "./symbol-index.ts";
import { type ElfSymbol, readSymbols } from "./symbols.ts";

export interface Frame {
  /** Demangled; undefined where only the line is known. */
  readonly function: string | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** True when this frame's code was inlined into the next frame's function. */
  readonly inlined: boolean;
}

export interface FunctionInfo {
  readonly name: string;
  /** As the linker knows it; undefined when the source name is that name. */
  readonly linkageName: string | undefined;
  readonly ranges: readonly Range[];
  readonly file: string | undefined;
  readonly line: number | undefined;
}

export type SymbolizerOptions = DebugOptions;

export interface Symbolizer {
  /** The calls an address stands for, innermost first; empty when nothing is known about it. */
  frames(address: number): readonly Frame[];
  /** The function, not inlined, that an address belongs to. */
  functionAt(address: number): FunctionInfo | undefined;
  /** Every function that has code and a source line, once, with the code of all its copies; none of a file with so much debug information that listing them takes long. */
  functions(): readonly FunctionInfo[];
  /** The first thing wrong with the debug information so far, if any. */
  readonly problem: InputError | undefined;
}

export const createSymbolizer = (elf: ElfFile, options: SymbolizerOptions = {}): Symbolizer =>
  new FileSymbolizer(elf, options);

interface UnitDetails {
  readonly scopes: Map<Scope, ScopeDetails>;
  readonly functions: IntervalIndex<Scope>;
  readonly lines: LineTable | undefined;
}

interface Dwarf {
  readonly info: DebugInfo;
  readonly units: UnitIndex;
}

/** Bytes of .debug_info. */
const mostListed = 64 << 20;

class FileSymbolizer implements Symbolizer {
  readonly #salvage = new Salvage();
  readonly #elf: ElfFile;
  readonly #options: SymbolizerOptions;
  #dwarf: Dwarf | "absent" | undefined;
  #symbols: IntervalIndex<ElfSymbol> | undefined;
  readonly #units = new Map<Unit, UnitDetails>();
  readonly #lines = new Map<Unit, LineTable | "absent">();

  constructor(elf: ElfFile, options: SymbolizerOptions) {
    this.#elf = elf;
    this.#options = options;
  }

  get problem(): InputError | undefined {
    return this.#salvage.problem;
  }

  frames(address: number): readonly Frame[] {
    const symbolName = () => this.#salvage.attempt(() => this.#symbolAt(address)?.name);
    for (const unit of this.#unitsAt(address)) {
      const frames = this.#salvage.attempt(() => framesIn(unit, this.#detailsOf(unit), address, symbolName));
      if (frames !== undefined && frames.length > 0) return frames;
    }
    const symbol = symbolName();
    if (symbol === undefined) return [];
    return [{ function: demangle(symbol), file: undefined, line: undefined, column: undefined, inlined: false }];
  }

  functionAt(address: number): FunctionInfo | undefined {
    for (const unit of this.#unitsAt(address)) {
      const found = this.#salvage.attempt(() => {
        const details = this.#detailsOf(unit);
        const outermost = scopesAt(details.functions, address).at(-1);
        return outermost === undefined ? undefined : describeFunction(unit, details, outermost);
      });
      if (found !== undefined) return found;
    }
    const symbol = this.#symbolAt(address);
    const name = this.#salvage.attempt(() => symbol?.name);
    if (symbol === undefined || name === undefined) return undefined;
    const ranges = [{ low: symbol.value, high: symbol.value + symbol.size }];
    return { name: demangle(name), linkageName: name, ranges, file: undefined, line: undefined };
  }

  functions(): readonly FunctionInfo[] {
    const known = new Map<string, FunctionInfo & { readonly ranges: Range[] }>();
    const info = this.#opened()?.info;
    if (info === undefined || info.sections.content("info").length > mostListed) return [];
    for (const unit of info.units)
      for (const { name, linkageName, declared, ranges } of this.#salvage.attempt(() => listCopies(unit)) ?? []) {
        const { line } = declared;
        const readable = readableName(linkageName, name);
        const file = this.#salvage.attempt(() => this.#linesOf(declared.unit)?.file(declared.file));
        if (readable === undefined || file === undefined) continue;
        const key = `${file}:${line} ${readable}`;
        const one = known.get(key) ?? { name: readable, linkageName, ranges: [], file, line };
        one.ranges.push(...ranges);
        known.set(key, one);
      }
    return [...known.values()];
  }

  #opened(): Dwarf | undefined {
    this.#dwarf ??= this.#salvage.attempt(() => this.#openDwarf()) ?? "absent";
    return this.#dwarf === "absent" ? undefined : this.#dwarf;
  }

  #unitsAt(address: number): Iterable<Unit> {
    return this.#opened()?.units.at(address) ?? [];
  }

  #openDwarf(): Dwarf | undefined {
    const info = openDebugInfo(this.#elf, this.#options);
    return info && { info, units: new UnitIndex(info, (read) => this.#salvage.attempt(read)) };
  }

  #detailsOf(unit: Unit): UnitDetails {
    const known = this.#units.get(unit);
    if (known !== undefined) return known;
    const details: UnitDetails = {
      scopes: new Map(),
      functions: indexFunctions(this.#salvage.attempt(() => readFunctions(unit)) ?? []),
      lines: this.#linesOf(unit),
    };
    this.#units.set(unit, details);
    return details;
  }

  #linesOf(unit: Unit): LineTable | undefined {
    const known = this.#lines.get(unit);
    if (known !== undefined) return known === "absent" ? undefined : known;
    const at = unit.root.number(attributes.stmtList);
    const lines = at === undefined ? undefined : this.#salvage.attempt(() => new LineTable(unit, at));
    this.#lines.set(unit, lines ?? "absent");
    return lines;
  }

  #symbolAt(address: number): ElfSymbol | undefined {
    this.#symbols ??= indexSymbols(
      [this.#options.debugFile, this.#elf].flatMap((elf) =>
        elf === undefined ? [] : (this.#salvage.attempt(() => readSymbols(elf)) ?? []),
      ),
      this.#elf.segments,
    );
    return this.#symbols.at(address)[0];
  }
}

const demangled = (name: string | undefined) => (name === undefined ? undefined : demangle(name));

/** A mangled name says more than the source name; an unmangled linkage name (asm labels, aliases) says less. */
function readableName(linkageName: string | undefined, name: string | undefined): string | undefined {
  const full = demangled(linkageName);
  return full === linkageName ? (name ?? linkageName) : full;
}

/** What an entry says about every frame made from it. */
interface ScopeDetails {
  readonly name: string | undefined;
  /** Where the inlined function was called. */
  readonly call: Place;
}

interface Place {
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

function readScopeDetails(
  unit: Unit,
  lines: LineTable | undefined,
  scope: Scope,
  symbolName: () => string | undefined,
): ScopeDetails {
  const entry = unit.info.entryAt(scope.offset) as Entry;
  const { name, linkageName } = nameOfFunction(entry);
  const file = entry.number(attributes.callFile);
  const mayKnowMore = !scope.inlined && linkageName === undefined && (name === undefined || !namesSymbols(unit, name));
  return {
    name: (mayKnowMore ? fullSymbolName(symbolName(), name) : undefined) ?? readableName(linkageName, name),
    call: {
      file: file === undefined ? undefined : lines?.file(file),
      line: entry.number(attributes.callLine) || undefined,
      column: entry.number(attributes.callColumn) || undefined,
    },
  };
}

/** DW_LANG_C89, C, C99, C11, C17 and Mips_Assembler: in their files a function's name is its symbol. */
const plainLanguages: ReadonlySet<number> = new Set([0x01, 0x02, 0x0c, 0x1d, 0x2c, 0x8001]);
/** A name that a linker knows as it is, and that says all there is to say. */
const namesSymbols = (unit: Unit, name: string) =>
  plainLanguages.has(unit.root.number(attributes.language) ?? 0) && !name.startsWith("_Z");

/** C++ functions local to a file may have a mangled symbol, with suffixes for clones, but no linkage name. */
function fullSymbolName(symbol: string | undefined, name: string | undefined): string | undefined {
  const plain = symbol?.replace(/\..*/, "");
  const full = demangled(plain);
  return full === plain ? (name ?? symbol) : full;
}

/** Each scope's place is where the next one in was called; the innermost one's is the address's own line. */
function framesIn(
  unit: Unit,
  { functions, lines, scopes: known }: UnitDetails,
  address: number,
  symbolName: () => string | undefined,
): readonly Frame[] {
  const scopes = scopesAt(functions, address);
  const place = lines?.place(address);
  const own: Place = { file: place?.file, line: place?.line || undefined, column: place?.column || undefined };
  if (scopes.length === 0) {
    return place === undefined ? [] : [{ function: demangled(symbolName()), ...own, inlined: false }];
  }
  let here = own;
  return scopes.map((scope) => {
    const read = known.get(scope) ?? readScopeDetails(unit, lines, scope, symbolName);
    known.set(scope, read);
    const frame = { function: read.name, ...here, inlined: scope.inlined };
    here = read.call;
    return frame;
  });
}

function describeFunction(unit: Unit, { lines }: UnitDetails, scope: Scope): FunctionInfo | undefined {
  const entry = unit.info.entryAt(scope.offset);
  if (entry === undefined) return undefined;
  const { name, linkageName } = nameOfFunction(entry);
  const known = readableName(linkageName, name);
  if (known === undefined) return undefined;
  const place = entry.has(attributes.declLine) ? entry : (declarationOf(unit, scope) ?? entry);
  const file = place.number(attributes.declFile);
  return {
    name: known,
    linkageName,
    ranges: scope.ranges,
    file: file === undefined || place.unit !== unit ? undefined : lines?.file(file),
    line: place.number(attributes.declLine),
  };
}

function declarationOf(unit: Unit, scope: Scope) {
  const entry = unit.info.entryAt(scope.offset);
  const origin = entry?.reference(attributes.abstractOrigin) ?? entry?.reference(attributes.specification);
  return origin === undefined ? undefined : unit.info.entryAt(origin);
}
