/**
 * V8 can write down the machine code of a WebAssembly module and read it again; Node has no interface for that, but V8's own
 * tests do, by names behind a switch. Where these are missing nothing is kept. V8 refuses code of another version, for other
 * switches or for another processor; it does not notice damage, so whoever keeps code keeps a digest with it.
 */
import { assert, functionsOf, type NativeCode } from "../base/index.ts";
import { withNatives } from "./engine.ts";

type Natives = {
  readonly isOptimised: (exported: unknown) => boolean;
  readonly serialize: (module: WebAssembly.Module) => ArrayBuffer;
  readonly deserialize: (code: ArrayBuffer, bytes: Uint8Array) => WebAssembly.Module | undefined;
  readonly optimise: (exported: unknown) => void;
};

function compileNatives(): Natives | undefined {
  const native = (parameters: string, body: string) => new Function(parameters, `return %${body}`) as never;
  try {
    return withNatives(() => ({
      isOptimised: native("f", "IsTurboFanFunction(f)"),
      serialize: native("module", "SerializeWasmModule(module)"),
      deserialize: native("code, bytes", "DeserializeWasmModule(code, bytes)"),
      optimise: native("f", "WasmTierUpFunction(f)"),
    }));
  } catch {
    return undefined;
  }
}

let natives: Natives | undefined;

/** Of functions that V8 has optimised by itself; of `all`, a test's wish, it optimises each when its code is asked for. */
export function v8NativeCode(which: "optimised" | "all" = "optimised"): NativeCode | undefined {
  natives ??= compileNatives();
  if (natives === undefined) return undefined;
  const { isOptimised, serialize, deserialize, optimise } = natives;
  return {
    save: (module, exported) =>
      withNatives(() => {
        if (which === "all") optimise(exported);
        // V8 ends the process when it is asked for the code of a module that has none optimised.
        return isOptimised(exported) ? new Uint8Array(serialize(module)) : undefined;
      }),
    load: (code, bytes) => withNatives(() => deserialize(ownBuffer(code), bytes)),
  };
}

/** V8 takes a whole buffer. */
const ownBuffer = (bytes: Uint8Array): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;

/** The code of a module, its exported functions optimised now: for a build, since it takes a while. */
export function optimisedCode(bytes: Uint8Array, memory: WebAssembly.Memory): Uint8Array {
  natives ??= compileNatives();
  const { optimise, isOptimised, serialize } = natives ?? {};
  if (!optimise || !isOptimised || !serialize) return new Uint8Array();
  const module = new WebAssembly.Module(bytes);
  const functions = functionsOf(module, memory);
  return withNatives(() => {
    for (const one of functions) optimise(one);
    assert(functions.every(isOptimised), "native code: what V8 was told to optimise is optimised");
    return new Uint8Array(serialize(module));
  });
}
