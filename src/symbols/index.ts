/** Sites become functions, files and lines, through the files that were mapped. */
export { type Module, ModuleMap } from "./modules.ts";
export { Resolver, type ResolverOptions } from "./resolver.ts";
