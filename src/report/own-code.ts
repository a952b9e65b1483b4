/** Which code is the user's own. Everything else is a library to a reader: folded, and never blamed first. */
import type { Frame } from "../trace/index.ts";

const systemFolder = /^\/(usr\/(?!local\/(?:src|home))|lib(32|64|x32)?\/)/;
/** What the linker puts before main, wherever it lies. */
const startUp = new Set(["_start", "__libc_start_main", "__libc_start_call_main", "__libc_csu_init", "_dl_start_user"]);

/** Whether a module is the user's: unless they say otherwise, whatever lies in no folder of the system. */
export type OwnModule = (module: string) => boolean;
export const outsideTheSystem: OwnModule = (module) => !systemFolder.test(module);

export function isOwn({ module, file, function: name }: Frame, ownModule: OwnModule): boolean {
  if (name !== undefined && startUp.has(name)) return false;
  if (file?.startsWith("/usr/")) return false;
  return module === undefined || ownModule(module);
}

/** The position of the user's line: the innermost own call with a source line, else the innermost own call. */
export function ownPosition(frames: readonly Frame[], ownModule: OwnModule): number | undefined {
  const own = frames.map((frame) => isOwn(frame, ownModule));
  const withSource = frames.findIndex((frame, at) => own[at] && frame.file !== undefined && frame.line !== undefined);
  const position = withSource >= 0 ? withSource : own.indexOf(true);
  return position >= 0 ? position : undefined;
}
