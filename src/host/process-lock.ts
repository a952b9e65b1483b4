/**
 * A lock file that names the process that holds it. Always: one whose process is gone, however it ended, is free; a process
 * is told by its number and its start, as numbers come again.
 */
import * as fs from "node:fs";
import { errorCode } from "./errors.ts";
import { readIfRegular } from "./whole-files.ts";

/** When a process started, in ticks since boot (proc(5): the 22nd field, counted behind the name); undefined if it is gone. */
function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

const own = (): string => `${process.pid} ${startOf(process.pid) ?? ""}\n`;

/** A lock's few bytes; of whatever else has its name, none. */
function readNoLink(file: string): string {
  return readIfRegular(file, 100, fs.constants.O_NOFOLLOW)?.toString("latin1") ?? "";
}

/** The process that holds a lock, if it is another that lives. */
function holderOf(file: string): number | undefined {
  const [pid = "", start] = readNoLink(file).trim().split(" ");
  const isOther = Number(pid) !== process.pid;
  return isOther && start !== undefined && startOf(Number(pid)) === start ? Number(pid) : undefined;
}

export class ProcessLock {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /** The lock, or the number of the process that has it. */
  static take(file: string): ProcessLock | number {
    for (;;) {
      try {
        fs.writeFileSync(file, own(), { flag: "wx", mode: 0o600 });
        return new ProcessLock(file);
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
      }
      const holder = holderOf(file);
      if (holder !== undefined) return holder;
      fs.rmSync(file, { force: true });
    }
  }

  /** The lock, from whoever has it: it will not find it its own any more. */
  static seize(file: string): ProcessLock {
    for (;;) {
      fs.rmSync(file, { force: true });
      try {
        fs.writeFileSync(file, own(), { flag: "wx", mode: 0o600 });
        return new ProcessLock(file);
      } catch (error) {
        // Another one seized it meanwhile.
        if (errorCode(error) !== "EEXIST") throw error;
      }
    }
  }

  release(): void {
    try {
      // It may be somebody else's by now.
      if (readNoLink(this.#file) === own()) fs.rmSync(this.#file, { force: true });
    } catch {
      // The folder may not be written any more.
    }
  }
}
