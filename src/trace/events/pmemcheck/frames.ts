/** Stack entries as Valgrind describes them: `0x10907D: main (list.c:12)`, `0x4A2F0: memcpy (in /usr/lib/libc.so.6)`. */
import type { Frame } from "../frame.ts";

const entry = /^0x([0-9A-Fa-f]+): (.*?)(?: \((?:in (.+)|(.+):(\d+))\))?$/;

/** The calls of one entry, innermost first; undefined when it does not look like one. */
export function parseFrames(text: string): readonly Frame[] | undefined {
  const parts = text.split(/(?<=\))(?=0x[0-9A-Fa-f]+: )/);
  const frames: Frame[] = [];
  for (const [index, part] of parts.entries()) {
    const match = entry.exec(part);
    if (match === null) return undefined;
    const [, address, name, module, file, line] = match;
    frames.push({
      address: Number.parseInt(address!, 16),
      function: name === "???" || name === "" ? undefined : name,
      file,
      line: line === undefined ? undefined : Number(line),
      column: undefined,
      module,
      offset: undefined,
      inlined: index < parts.length - 1,
    });
  }
  return frames;
}

export const printFrame = ({ address, function: name, file, line, module }: Frame): string => {
  const where =
    file !== undefined && line !== undefined ? ` (${file}:${line})` : module === undefined ? "" : ` (in ${module})`;
  return `0x${address.toString(16).toUpperCase()}: ${name ?? "???"}${where}`;
};
