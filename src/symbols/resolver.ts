/**
 * From sites and calling contexts to frames, each file read when its first frame is asked for. Always:
 * - A return site is looked up one byte before, in the call.
 * - A place whose file or symbols are missing is still a frame: its module and the offset in it are told.
 */
import { InputError } from "../base/index.ts";
import {
  createSymbolizer,
  createTypeReader,
  debugFileCandidates,
  type ElfFile,
  type Inflate,
  readBuildId,
  readElf,
  type Symbolizer,
  segmentTypes,
  type TypeReader,
} from "../elf/index.ts";
import type { Frame, TraceTables } from "../trace/index.ts";
import type { Module, ModuleMap } from "./modules.ts";

export interface ResolverOptions {
  readonly tables: TraceTables;
  readonly modules: ModuleMap;
  /** A file as the guest named it; undefined when it cannot be read. */
  readFile(path: string): Uint8Array | undefined;
  readonly inflate?: Inflate;
}

interface OpenModule {
  readonly elf: ElfFile;
  readonly debugFile: ElfFile | undefined;
  readonly symbolizer: Symbolizer;
}

export class Resolver {
  readonly #options: ResolverOptions;
  readonly #files = new Map<string, OpenModule | "unreadable">();
  readonly #frames = new Map<number, readonly Frame[]>();

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /** The calls that led to a site, innermost first. */
  readonly frames = (site: number, stack: number): readonly Frame[] => {
    const { contexts } = this.#options.tables;
    const callers = contexts.stack(stack).flatMap((returnSite) => this.#framesAt(returnSite, 1));
    return site === 0 && callers.length > 0 ? callers : [...this.#framesAt(site, 0), ...callers];
  };

  /** Types of the program itself. */
  types(): TypeReader | undefined {
    const program = this.#options.modules.all[0];
    const open = program === undefined ? "unreadable" : this.#open(program.path);
    if (open === "unreadable") return undefined;
    return createTypeReader(open.elf, this.#symbolOptions(open.debugFile));
  }

  #framesAt(site: number, back: number): readonly Frame[] {
    const known = this.#options.tables.sites.frames(site) ?? this.#frames.get(site - back);
    if (known !== undefined) return known;
    const frames = this.#lookUp(site - back);
    this.#frames.set(site - back, frames);
    return frames;
  }

  #lookUp(address: number): readonly Frame[] {
    const module = this.#options.modules.at(address);
    const bare = { address, function: undefined, file: undefined, line: undefined, column: undefined, inlined: false };
    if (module === undefined) return [{ ...bare, module: undefined, offset: undefined }];
    const open = this.#open(module.path);
    const offset = open === "unreadable" ? undefined : addressInFile(open.elf, module, address);
    const place = { module: module.path, offset: offset ?? address - module.start + module.offset };
    const found = open === "unreadable" || offset === undefined ? [] : open.symbolizer.frames(offset);
    return found.length === 0 ? [{ ...bare, ...place }] : found.map((frame) => ({ address, ...frame, ...place }));
  }

  #open(path: string): OpenModule | "unreadable" {
    const known = this.#files.get(path) ?? this.#read(path);
    this.#files.set(path, known);
    return known;
  }

  #read(path: string): OpenModule | "unreadable" {
    const elf = this.#readElf(path);
    if (elf === undefined) return "unreadable";
    const debugFile = this.#debugFileOf(elf);
    return { elf, debugFile, symbolizer: createSymbolizer(elf, this.#symbolOptions(debugFile)) };
  }

  #symbolOptions(debugFile: ElfFile | undefined) {
    const { inflate } = this.#options;
    return { ...(inflate && { inflate }), ...(debugFile && { debugFile }) };
  }

  #readElf(path: string): ElfFile | undefined {
    const bytes = this.#options.readFile(path);
    if (bytes === undefined) return undefined;
    try {
      return readElf(bytes, path, "symbols");
    } catch (error) {
      if (error instanceof InputError) return undefined;
      throw error;
    }
  }

  /** A file that names another build is somebody else's. */
  #debugFileOf(elf: ElfFile): ElfFile | undefined {
    const build = buildIdOf(elf);
    for (const candidate of debugFileCandidates(elf)) {
      const debugFile = this.#readElf(candidate);
      if (debugFile !== undefined && (build === undefined || buildIdOf(debugFile) === build)) return debugFile;
    }
    return undefined;
  }
}

function buildIdOf(elf: ElfFile): string | undefined {
  try {
    return readBuildId(elf);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** An address in the guest as the file itself numbers it. */
function addressInFile(elf: ElfFile, module: Module, address: number): number | undefined {
  const fileOffset = address - module.start + module.offset;
  const segment = elf.segments.find(
    ({ type, offset, filesz }) => type === segmentTypes.load && offset <= fileOffset && fileOffset < offset + filesz,
  );
  return segment === undefined ? undefined : fileOffset - segment.offset + segment.vaddr;
}
