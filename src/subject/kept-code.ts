/**
 * Kept code in files, one for each program and way of lifting, so that a program's next run begins with what its last
 * one made of its code (docs/adr/0014-kept-code.md).
 */
import type { HostPorts } from "../base/index.ts";
import { KeptCode, type Lifting } from "../vm/index.ts";

/** All that this thread's machines use, by file, with the ports that it came through. */
const inUse = new Map<string, { readonly code: KeptCode; readonly ports: HostPorts }>();

function read(file: string, { cache }: HostPorts): KeptCode | undefined {
  const bytes = cache.read(file);
  return bytes && KeptCode.from(bytes);
}

/** A new program often has its libraries where another one has them, and what is not the same is not used. */
function ofAnother(lifting: Lifting, ports: HostPorts): KeptCode | undefined {
  const file = ports.cache.newest(lifting);
  return file === undefined ? undefined : read(file, ports);
}

/** For machines that run the program which lies at `program` on the host. */
export const keptCodeOf =
  (program: string, ports: HostPorts) =>
  (lifting: Lifting): KeptCode => {
    if (inUse.size === 0) ports.atEnd(keepCode);
    const file = ports.cache.name(program, lifting);
    const code = inUse.get(file)?.code ?? read(file, ports) ?? ofAnother(lifting, ports) ?? new KeptCode();
    inUse.set(file, { code, ports });
    return code;
  };

/** Writes what has come to the files in use. A full one, much of which is of no use to anybody by then, is begun anew. */
export function keepCode(): void {
  for (const [file, { code, ports }] of inUse) {
    if (ports.cache.keeps) code.takeNativeCode();
    if (code.isFull) ports.cache.remove(file);
    else if (code.hasGrown) ports.cache.write(file, code.toParts());
  }
}
