/** A place in one line of words: for lists of fixes. */
import { baseName } from "../../base/index.ts";
import type { Frame } from "../../trace/events/index.ts";

/** "log.c:22 in append", or "libfoo.so+0x1234" where no source is known. */
export function frameWords(frame: Frame | undefined): string {
  if (frame === undefined) return "an unknown place";
  const { file, line, module, offset, function: name } = frame;
  const inside = name === undefined ? "" : ` in ${name}`;
  if (file !== undefined && line !== undefined) return `${baseName(file)}:${line}${inside}`;
  return `${module === undefined ? "?" : baseName(module)}+0x${(offset ?? 0).toString(16)}${inside}`;
}

/** Of the first frame that source is known of, else of the innermost. */
export const placeWords = (frames: readonly Frame[]): string =>
  frameWords(frames.find(({ file, line }) => file !== undefined && line !== undefined) ?? frames[0]);
