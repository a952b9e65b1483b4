/** Functions of the user's that never ran, in the report and in a line after it: no check says anything of them. */
import { baseName, counted } from "../../base/index.ts";
import { isOwn, type OwnModule } from "../../crash/finding/index.ts";
import { bareName, type Coverage } from "../../report/document/index.ts";
import type { UserFunction } from "../../session/subject/index.ts";

/** Nothing where no function of the user's is known: a program without debug information. */
export function ownFunctions(known: readonly UserFunction[], ownModule: OwnModule): Pick<Coverage, "functions"> {
  const own = known.filter(({ name, file, modules }) =>
    modules.some((module) => isOwn({ module, file, function: name }, ownModule)),
  );
  if (own.length === 0) return {};
  const neverRan = own.filter(({ ran }) => !ran).map(({ name, file, line }) => ({ function: name, file, line }));
  return { functions: { total: own.length, neverRan } };
}

const shown = 8;

/** Empty, or a line of its own; with `verbose` one more for each function. */
export function neverRanLine({ functions }: Coverage, { verbose = false }: { readonly verbose?: boolean }): string {
  const { total, neverRan } = functions ?? { total: 0, neverRan: [] };
  if (neverRan.length === 0) return "";
  const head = `\nblackout: ${neverRan.length} of your ${counted(total, "function")} never ran`;
  if (verbose)
    return `${head}:${neverRan.map(({ function: name, file, line }) => `\n  ${name} (${baseName(file)}:${line})`).join("")}`;
  // Several of one name, as those of a template are, count once here.
  const names = [...new Set(neverRan.map((each) => bareName(each.function)))];
  const more = names.length > shown ? ` and ${names.length - shown} more (--verbose lists them)` : "";
  return `${head}: ${names.slice(0, shown).join(", ")}${more}`;
}
