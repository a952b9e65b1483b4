/** Places in words. */
import { printable } from "../../base/index.ts";
import { bareName, baseName, type Frame, framesOf, type PlaceTables } from "../document/index.ts";

/** "insert() at list.c:31:5" or "in /usr/lib/libfoo.so+0x1234". */
export function placeText({ function: name, file, line, column, module, offset, address }: Frame): string {
  const where = [file, line, column].filter((part) => part !== undefined).join(":");
  const binary = module === undefined ? "" : `(${module}+${offset ?? address})`;
  return printable([name, where === "" ? binary : where].filter((part) => part !== undefined && part !== "").join(" "));
}

/** "libpmemobj" of /usr/lib/x86_64-linux-gnu/libpmemobj.so.1.0.0. */
const moduleName = (module: string): string => baseName(module).replace(/\.so[.\d]*$/, "");

/** A call, of a report or of a trace. */
interface Call {
  readonly function?: string | undefined;
  readonly module?: string | undefined;
  readonly offset?: Numeral;
  readonly address: Numeral;
}
type Numeral = string | number | undefined;
const inHex = (numeral: Numeral): string =>
  typeof numeral === "number" ? `0x${numeral.toString(16)}` : (numeral ?? "0x0");

/** "pmemobj_tx_commit (libpmemobj)", "append (array)", "libfoo+0x1234". */
export function callText({ function: name, module, offset, address }: Call): string {
  const binary = module === undefined ? undefined : moduleName(module);
  if (name === undefined) return binary === undefined ? inHex(address) : `${binary}+${inHex(offset ?? address)}`;
  return binary === undefined ? bareName(name) : `${bareName(name)} (${binary})`;
}

/** What runs when main has returned: a program that is linked statically has it in its own file. */
const ending: ReadonlySet<string> = new Set(["exit", "__run_exit_handlers", "_dl_fini"]);

/** Whether the program has left its own lines for good. */
export const isAtEnd = (tables: PlaceTables, place: number): boolean =>
  !hasLine(tables, place) &&
  framesOf(tables, place).some(({ function: name }) => name !== undefined && ending.has(name));

/** The user's line, "log.c:22"; without one, the function that they called or that was running: never empty. */
export function whereText(tables: PlaceTables, place: number): string {
  const frames = framesOf(tables, place);
  const own = frames[tables.places[place]?.own ?? -1];
  const shown = own ?? outermostNamed(frames);
  if (shown === undefined) return "an unknown place";
  if (isAtEnd(tables, place)) return "the program's end";
  return shown.file === undefined || shown.line === undefined || own === undefined
    ? callText(shown)
    : `${baseName(shown.file)}:${shown.line}`;
}

/** The line in the innermost function of the user's that another place was reached through, too: "kv.c:89". */
export function whereNear(tables: PlaceTables, place: number, near: number): string {
  const ownOf = (at: number) => framesOf(tables, at).slice(tables.places[at]?.own ?? 0);
  const functions = new Set(ownOf(near).map(({ function: name }) => name));
  const shared = ownOf(place).find((frame) => frame.library !== true && functions.has(frame.function));
  if (shared?.file === undefined || shared.line === undefined) return whereText(tables, place);
  return `${baseName(shared.file)}:${shared.line}`;
}

/** In a library that nothing of the user's called, what its caller would know it by. */
const outermostNamed = (frames: readonly Frame[]): Frame | undefined =>
  frames.findLast(({ function: name, module }) => name !== undefined && module !== undefined) ?? frames[0];

/** The library call that the user's line makes there: "pmem_persist (libpmem)"; undefined where the line itself acts. */
export function libraryCall(tables: PlaceTables, place: number): string | undefined {
  const own = tables.places[place]?.own ?? 0;
  const callee = own === 0 ? undefined : framesOf(tables, place)[own - 1];
  if (callee === undefined || callee.inlined) return undefined;
  // Where in a library that has no symbol for it: nobody knows it by its offset.
  return callee.function === undefined && callee.module !== undefined ? moduleName(callee.module) : callText(callee);
}

/** "log.c:23, in pmem_persist (libpmem)". */
export function fullWhereText(tables: PlaceTables, place: number): string {
  const inside = libraryCall(tables, place);
  return inside === undefined ? whereText(tables, place) : `${whereText(tables, place)}, in ${inside}`;
}

/** Whether a place has a line of the user's. */
export const hasLine = (tables: PlaceTables, place: number): boolean =>
  framesOf(tables, place)[tables.places[place]?.own ?? -1]?.line !== undefined;

/** Whether a place lies in code of the user's, or was called from there. */
export const isUsers = ({ places }: PlaceTables, place: number): boolean => places[place]?.own !== undefined;

/** ", in fill (array.c:42)", where a place is told by a line that called the one which acted. */
export function helperText(tables: PlaceTables, place: number): string {
  const frames = framesOf(tables, place);
  const at = frames.findIndex(
    ({ library, file, line }) => library !== true && file !== undefined && line !== undefined,
  );
  const { function: name, file, line } = frames[at] ?? {};
  if (file === undefined || at >= (tables.places[place]?.own ?? 0)) return "";
  return `, in ${name === undefined ? "a helper" : bareName(name)} (${baseName(file)}:${line})`;
}
