/** Which code is the user's own. Everything else is a library to a reader: folded, and never blamed first. */
import { globPattern } from "../../base/index.ts";
import type { Frame } from "../../trace/events/index.ts";

const systemFolder = /^\/(usr\/(?!local\/(?:src|home))|lib(32|64|x32)?\/)/;
/** Sources of libraries: system headers, Rust's own and what that is made of; and crates as Cargo keeps them. */
const systemSource = /^\/(usr|rustc|rust\/deps)\/|\/\.cargo\/(registry|git)\/|\/\.rustup\/toolchains\//;
/** What the linker puts before main, wherever it lies. */
const startUp = new Set(["_start", "__libc_start_main", "__libc_start_call_main", "__libc_csu_init", "_dl_start_user"]);

/**
 * Whether a module is the user's: whatever lies in no folder of the system, where nobody knows the program's own. Of source files,
 * what the user said of them; undefined where that is nothing.
 */
export interface OwnModule {
  (module: string): boolean;
  source?(file: string): boolean | undefined;
}
export const outsideTheSystem: OwnModule = (module) => !systemFolder.test(module);

/** A project that is built where others are installed. */
const projectFolder = /^\/(?:opt|usr\/src|usr\/local\/src)\/[^/]+\//;

/** What lies in or below the program's own directory, by any of its paths, and what `mine` matches and `notMine` does not. */
export function ownModules(
  programs: readonly string[],
  mine: readonly string[],
  notMine: readonly string[] = [],
): OwnModule {
  const folders = programs.map((program) => program.slice(0, program.lastIndexOf("/") + 1));
  const [own, others] = [mine.map(globPattern), notMine.map(globPattern)];
  const said = (path: string) => {
    if (others.some((glob) => glob.test(path))) return false;
    return own.some((glob) => glob.test(path)) ? true : undefined;
  };
  const isBeside = (path: string) => folders.some((folder) => path.startsWith(folder));
  const projects = folders.flatMap((folder) => projectFolder.exec(folder)?.[0] ?? []);
  const source = (file: string) => {
    if (isBeside(file) || projects.some((project) => file.startsWith(project))) return said(file) ?? true;
    return said(file) ?? (file.startsWith("/opt/") ? false : undefined);
  };
  return Object.assign((module: string) => said(module) ?? isBeside(module), { source });
}

export function isOwn(
  { module, file, function: name }: Pick<Frame, "module" | "file" | "function">,
  ownModule: OwnModule,
): boolean {
  if (name !== undefined && startUp.has(name)) return false;
  const said = file === undefined ? undefined : ownModule.source?.(file);
  if (said === false || (said === undefined && file !== undefined && systemSource.test(file))) return false;
  return module === undefined || ownModule(module);
}

/** The user's line with the calls that led there: equal for all that one statement, or what it calls, does. */
export function statementOf(frames: readonly Frame[], ownModule: OwnModule): string {
  const [line, ...callers] = frames.slice(ownPosition(frames, ownModule) ?? 0);
  const where = line?.file === undefined ? line?.address : `${line.file}:${line.line}`;
  return [where, ...callers.map(({ address }) => address)].join(" ");
}

/** The position of the user's line: the innermost own call with a source line, else the innermost own call. */
export function ownPosition(frames: readonly Frame[], ownModule: OwnModule): number | undefined {
  const own = frames.map((frame) => isOwn(frame, ownModule));
  const withSource = frames.findIndex((frame, at) => own[at] && frame.file !== undefined && frame.line !== undefined);
  const position = withSource >= 0 ? withSource : own.indexOf(true);
  return position >= 0 ? position : undefined;
}
