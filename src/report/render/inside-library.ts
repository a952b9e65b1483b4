/** What a library does on its own account, where the user cannot change it; and stores out of order that are all its own. */

import {
  type Finding,
  isOwn,
  type OrderFacts,
  type OwnModule,
  ownPosition,
  type StoreFact,
} from "../../crash/finding/index.ts";
import { baseName } from "../document/index.ts";

/**
 * Functions that do to persistent memory what their caller says, and nothing of their own: flushes and copies. What is odd
 * about them is the caller's doing. All of libc, libstdc++ and libpmem count as such, but for what maps files.
 */
const obedientModule = /^lib(c|m|stdc\+\+|gcc_s|pmem2?|pthread)\b/;
const obedientCall = /^pmemobj_(x?(flush|persist|drain)|(memcpy|memmove|memset)(_persist)?)$/;
/** Headers, intrinsics of a compiler's and Rust's own library become part of whoever uses them. */
const obedientSource = /^\/usr\/include\/|\/lib\/(gcc|clang)\/|^\/(rustc|rust\/deps)\//;
const ownBusiness = /^(pmem_(map|unmap|is_pmem)|pmem2_map)/;

interface LibraryCall {
  readonly function?: string | undefined;
  readonly file?: string | undefined;
  readonly module?: string | undefined;
}

/** Whether what the user called in a library acts on its own account. */
export function actsByItself({ function: name = "", file, module }: LibraryCall): boolean {
  if (module === undefined || obedientSource.test(file ?? "")) return false;
  if (ownBusiness.test(name)) return true;
  return !obedientModule.test(baseName(module)) && !obedientCall.test(name);
}

/** Whether a store is a library's own: the user's code called it, or nothing of theirs did. */
function isLibrarysOwn({ frames }: StoreFact, ownModule: OwnModule): boolean {
  const own = ownPosition(frames, ownModule);
  if (own === undefined) return true;
  const called = own === 0 ? undefined : frames[own - 1];
  return called !== undefined && !isOwn(called, ownModule) && actsByItself(called);
}

/** Findings as a user wants them: where a library made both stores of every pair, it is a warning. */
export const withLibrariesMilder = (findings: readonly Finding[], ownModule: OwnModule): readonly Finding[] =>
  findings.map((finding) =>
    finding.order !== undefined && storesOf(finding.order).every((store) => isLibrarysOwn(store, ownModule))
      ? { ...finding, rule: { ...finding.rule, severity: "warning" } }
      : finding,
  );

const storesOf = ({ missing, kept, others }: OrderFacts): readonly StoreFact[] =>
  [{ missing, kept }, ...others].flatMap((pair) => [pair.missing, pair.kept]);
