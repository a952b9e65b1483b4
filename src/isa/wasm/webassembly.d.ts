/** The part of the WebAssembly JavaScript interface that is used here; Node's own types leave it to the DOM library. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Table {
    constructor(descriptor: { element: "anyfunc"; initial: number; maximum?: number });
    readonly length: number;
    get(index: number): unknown;
    set(index: number, value: unknown): void;
    grow(by: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
    static imports(
      module: Module,
    ): { module: string; name: string; kind: "function" | "memory" | "table" | "global" }[];
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  class RuntimeError extends Error {}
}
