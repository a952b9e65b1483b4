/** Readable names: C++ (Itanium ABI) and Rust (legacy and v0), told apart by their prefixes. */
import { demangleItanium } from "./itanium/index.ts";
import { demangleRustLegacy } from "./rust-legacy.ts";
import { demangleRustV0 } from "./rust-v0.ts";

/** The name as its source would write it; a name that is not mangled comes back unchanged. */
export function demangle(name: string): string {
  if (!/^_{1,2}[ZR]/.test(name)) return name;
  const at = name.indexOf("@");
  if (at > 0) return demangle(name.slice(0, at)) + name.slice(at);
  return demangleRustLegacy(name) ?? demangleRustV0(name) ?? demangleItanium(name) ?? name;
}
