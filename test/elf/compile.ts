/** Builds test subjects with the system's compilers in a directory of their own, which goes away with the test. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Workshop {
  readonly directory: string;
  /** Compiles `source` into `name` and gives the path of the result. */
  compile(compiler: string, name: string, source: string, flags?: readonly string[]): string;
  close(): void;
}

const extensions: Readonly<Record<string, string>> = { gcc: ".c", "g++": ".cpp", rustc: ".rs" };

export function openWorkshop(): Workshop {
  const directory = mkdtempSync(join(tmpdir(), "blackout-elf-"));
  return {
    directory,
    compile(compiler, name, source, flags = []) {
      const input = join(directory, name + extensions[compiler]);
      const output = join(directory, name);
      writeFileSync(input, source);
      execFileSync(compiler, [...flags, input, "-o", output], { stdio: ["ignore", "ignore", "pipe"], cwd: directory });
      return output;
    },
    close: () => rmSync(directory, { recursive: true }),
  };
}

export const bytesOf = (path: string): Uint8Array => new Uint8Array(readFileSync(path));

export const run = (command: string, args: readonly string[], input = ""): string =>
  execFileSync(command, args, { input, encoding: "utf8", maxBuffer: 2 ** 30, stdio: ["pipe", "pipe", "pipe"] });

export function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
