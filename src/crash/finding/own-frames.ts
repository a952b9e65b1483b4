/** Which of the calls that led to an event are the program's own. */
import type { Frame } from "../../trace/events/index.ts";

const systemLibrary = /^\/(usr\/)?lib(32|64|x32)?\//;

/** Whether a file is a library that came with the system. */
export const isSystemLibrary = (path: string): boolean => systemLibrary.test(path);

/** Code of such a library. */
export const isOfSystem = ({ module }: Frame): boolean => isSystemLibrary(module ?? "");

/** The calls of the program's own functions, not its libraries', innermost first. */
export function ownCalls(frames: readonly Frame[]): readonly Frame[] {
  const own = frames.filter((frame) => !isOfSystem(frame));
  const withSource = own.filter(({ file }) => file !== undefined);
  return withSource.length > 0 ? withSource : own.length > 0 ? own : frames;
}

/** The function that is responsible, and what was inlined into it there. */
export function responsibleFor(frames: readonly Frame[]): string {
  const calls = ownCalls(frames);
  const end = calls.findIndex(({ inlined }) => !inlined);
  return calls
    .slice(0, end + 1)
    .map((frame) => frame.function ?? `${frame.module}+${frame.offset}`)
    .join(" ");
}

/**
 * The site of an event as its program has it, whoever called it: its place, through the library that made it for the
 * program, to the function of the program's own that holds it. Where the compiler inlined that function makes no difference.
 */
export function siteFrames(frames: readonly Frame[]): readonly Frame[] {
  const own = frames.findIndex((frame) => !isOfSystem(frame));
  return own < 0 ? frames : frames.slice(0, own + 1);
}
