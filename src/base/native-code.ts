/**
 * Machine code that the engine made of WebAssembly modules, as bytes, so that another process need not make it again. Always:
 * whoever has none, or some that the engine refuses, compiles the module; code made of other bytes is never asked for.
 */
export interface NativeCode {
  /** Undefined while the engine has not optimised the function, one of the module's. */
  save(module: WebAssembly.Module, exported: unknown): Uint8Array | undefined;
  /** Undefined for code of another engine, its switches or another processor. */
  load(code: Uint8Array, bytes: Uint8Array): WebAssembly.Module | undefined;
}

let port: NativeCode | undefined;

/** Before any module is compiled. */
export function useNativeCode(given: NativeCode | undefined): void {
  port = given;
}

export const nativeCode = (): NativeCode | undefined => port;

/** The module, of its machine code if there is some. */
export const compileModule = (bytes: Uint8Array, code?: Uint8Array): WebAssembly.Module =>
  (code && code.length > 0 ? port?.load(code, bytes) : undefined) ?? new WebAssembly.Module(bytes);

/** A module's functions in an instance of their own: those of a machine hold its memory. Nobody calls them. */
export function functionsOf(module: WebAssembly.Module, memory: WebAssembly.Memory): readonly unknown[] {
  const imports: Record<string, Record<string, unknown>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = kind === "memory" ? memory : () => 0;
  }
  const { exports } = new WebAssembly.Instance(module, imports as never);
  return Object.values(exports).filter((exported) => typeof exported === "function");
}
