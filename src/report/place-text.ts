/** A call in words. */
import { printable } from "../base/index.ts";
import type { Frame } from "../document/index.ts";

/** "insert() at list.c:31:5" or "in /usr/lib/libfoo.so+0x1234". */
export function placeText({ function: name, file, line, column, module, offset, address }: Frame): string {
  const where = [file, line, column].filter((part) => part !== undefined).join(":");
  const binary = module === undefined ? "" : `(${module}+${offset ?? address})`;
  return printable([name, where === "" ? binary : where].filter((part) => part !== undefined && part !== "").join(" "));
}
