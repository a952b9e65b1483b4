/**
 * Source files for reports. A program's debug information names any file it likes, so that alone grants nothing. Always:
 * - Read is only what lies below the program's directory, the working directory or a `--source` directory, by its real
 *   path; with `--root` the first two count only if they lie below it. Of a folder that a project is built in, the project counts.
 * - Only regular files with the ending of a source file, up to a size.
 */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from "node:path";
import { readIfRegular, readLimits, stderrLine } from "../../host/index.ts";

const endings = new Set(
  ".c .h .i .cc .hh .cp .cpp .hpp .ipp .cxx .hxx .c++ .h++ .inc .inl .tcc .rs .go .s .asm .d .zig .m .mm .f .f90 .ads .adb".split(
    " ",
  ),
);

export interface SourceOptions {
  /** Directories given with `--source`. */
  readonly source?: readonly string[];
  readonly root?: string;
}

/** A path without links; undefined if there is none. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** What folders are called that projects are built in, and what lies where such a project begins. */
const buildFolder = /^(_?build|builddir|build-.*|cmake-build-.*|bin|out|target|debug|release)$/i;
const projectFiles = "CMakeLists.txt Makefile GNUmakefile makefile meson.build Cargo.toml configure.ac .git".split(" ");

/** The project that a folder is the build folder of; else the folder itself. */
function projectOf(folder: string): string {
  for (let below = folder; buildFolder.test(basename(below)); below = dirname(below)) {
    const above = dirname(below);
    if (projectFiles.some((name) => existsSync(join(above, name)))) return above;
  }
  return folder;
}

/** `a/b/c.c` as `a/b/c.c`, `b/c.c` and `c.c`: a tree may lie elsewhere than where it was compiled. */
function suffixesOf(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  return parts.map((_part, index) => parts.slice(index).join("/"));
}

export class Sources {
  readonly #own: readonly string[];
  readonly #given: readonly string[];
  readonly #root: string | undefined;
  readonly #known = new Map<string, string | undefined>();
  #withheld: string | undefined;

  /** `program` is its file on the host, if there is one. */
  constructor({ source = [], root }: SourceOptions, program: string | undefined) {
    const real = (paths: readonly string[]) => paths.flatMap((path) => realPath(path) ?? []);
    this.#root = root === undefined ? undefined : realPath(root);
    const folders = [...(program === undefined ? [] : [dirname(realPath(program) ?? program)]), process.cwd()];
    const own = real(folders).map(projectOf);
    this.#own = own.filter((folder) => this.#root === undefined || isBelow(folder, this.#root));
    this.#given = real(source);
  }

  readonly read = (path: string): string | undefined => {
    if (!this.#known.has(path)) this.#known.set(path, this.#find(path));
    return this.#known.get(path);
  };

  /** Says once what would have to be given for a source file that is there and was not shown. */
  sayWithheld(): void {
    if (this.#withheld === undefined) return;
    stderrLine(
      `blackout: source outside the program's and the working directory, such as ${JSON.stringify(this.#withheld)}, is shown only with --source DIR`,
    );
    this.#withheld = undefined;
  }

  #find(path: string): string | undefined {
    if (!endings.has(extname(path).toLowerCase())) return undefined;
    const inTree = this.#root === undefined || !isAbsolute(path) ? resolve(path) : join(this.#root, path);
    const named = realPath(inTree);
    if (named !== undefined) {
      if ([...this.#own, ...this.#given].some((folder) => isBelow(named, folder))) return readSource(named);
      this.#withheld ??= path;
    }
    for (const folder of this.#given)
      for (const suffix of suffixesOf(path)) {
        const moved = realPath(join(folder, suffix));
        if (moved !== undefined && isBelow(moved, folder)) return readSource(moved);
      }
    return undefined;
  }
}

/** The real path's own ending counts: a link may be named like a source file and lead to none. */
function readSource(path: string): string | undefined {
  if (!endings.has(extname(path).toLowerCase())) return undefined;
  const bytes = readIfRegular(path, readLimits.source);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}
