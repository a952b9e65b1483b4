/**
 * From sites and calling contexts to frames, each file read when its first frame is asked for. Always:
 * - A return site is looked up one byte before, in the call.
 * - A place whose file or symbols are missing is still a frame: its module and the offset in it are told.
 */
import { InputError } from "../../base/index.ts";
import type { Frame, TraceTables } from "../../trace/events/index.ts";
import {
  addressOfOffset,
  debugFileCandidates,
  type ElfFile,
  type Frame as FrameInFile,
  type Inflate,
  readBuildId,
  readElf,
  type TypeReader,
} from "../elf/index.ts";
import { DebugFile } from "./debug-file.ts";
import type { ModuleMap } from "./modules.ts";

export interface ResolverOptions {
  readonly tables: TraceTables;
  readonly modules: ModuleMap;
  /** A file as the guest named it; undefined when it cannot be read. */
  readFile(path: string): Uint8Array | undefined;
  readonly inflate?: Inflate;
  readonly memory?: FrameMemory;
}

/** What a file's code at an offset in it stands for: its address there, and the calls. */
export interface PlaceInFile {
  readonly offset: number;
  readonly frames: readonly FrameInFile[];
}

/** Places that were found before. A place is asked for before files are read for it. */
export interface FrameMemory {
  recall(path: string, at: number): PlaceInFile | undefined;
  /** `sources` are all files that were read for it, or looked for. */
  note(path: string, at: number, place: PlaceInFile, sources: readonly string[]): void;
}

interface OpenModule {
  readonly file: DebugFile;
  readonly sources: readonly string[];
}

/** Code of a file that was mapped. */
export interface MappedCode {
  readonly file: DebugFile;
  /** In the file's own addresses. */
  readonly address: number;
  /** Where the file's address 0 is. */
  readonly bias: number;
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
    return open === "unreadable" ? undefined : open.file.types;
  }

  /** A file that was mapped. */
  file(path: string): DebugFile | undefined {
    const open = this.#open(path);
    return open === "unreadable" ? undefined : open.file;
  }

  /** The file whose code lies at an address of the guest. */
  codeAt(pc: number): MappedCode | undefined {
    const module = this.#options.modules.at(pc);
    const open = module === undefined ? "unreadable" : this.#open(module.path);
    if (module === undefined || open === "unreadable") return undefined;
    const address = addressOfOffset(open.file.elf.segments, pc - module.start + module.offset);
    return address === undefined ? undefined : { file: open.file, address, bias: pc - address };
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
    const at = address - module.start + module.offset;
    const known = this.#options.memory?.recall(module.path, at) ?? this.#find(module.path, at);
    const place = { module: module.path, offset: known?.offset ?? at };
    const frames = known?.frames ?? [];
    return frames.length === 0 ? [{ ...bare, ...place }] : frames.map((frame) => ({ address, ...frame, ...place }));
  }

  #find(path: string, at: number): PlaceInFile | undefined {
    const open = this.#open(path);
    const offset = open === "unreadable" ? undefined : addressOfOffset(open.file.elf.segments, at);
    if (open === "unreadable" || offset === undefined) return undefined;
    const place = { offset, frames: open.file.symbolizer.frames(offset) };
    this.#options.memory?.note(path, at, place, open.sources);
    return place;
  }

  #open(path: string): OpenModule | "unreadable" {
    const known = this.#files.get(path) ?? this.#read(path);
    this.#files.set(path, known);
    return known;
  }

  #read(path: string): OpenModule | "unreadable" {
    const elf = this.#readElf(path);
    if (elf === undefined) return "unreadable";
    const { debugFile, candidates } = this.#debugFileOf(elf);
    const { inflate } = this.#options;
    const file = new DebugFile(elf, { ...(inflate && { inflate }), ...(debugFile && { debugFile }) });
    return { file, sources: [path, ...candidates] };
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
  #debugFileOf(elf: ElfFile): { readonly debugFile: ElfFile | undefined; readonly candidates: readonly string[] } {
    const build = buildIdOf(elf);
    const candidates = debugFileCandidates(elf);
    for (const candidate of candidates) {
      const debugFile = this.#readElf(candidate);
      if (debugFile !== undefined && (build === undefined || buildIdOf(debugFile) === build))
        return { debugFile, candidates };
    }
    return { debugFile: undefined, candidates };
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
