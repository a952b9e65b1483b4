/** One command of a build: what it prints and reports, without the names of folders that differ between two builds. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Case } from "./cases.ts";

export const formats = ["text", "json", "sarif", "junit"] as const;
export type Format = (typeof formats)[number];

export class Build {
  readonly checkout: string;
  /** Where it keeps what it makes of programs, and where commands run. */
  readonly #folder: string;

  constructor(checkout: string, folder: string) {
    this.checkout = resolve(checkout);
    this.#folder = folder;
    mkdirSync(folder);
  }

  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, BLACKOUT_CACHE: join(this.#folder, "cache") };
  }

  command(words: readonly string[]): readonly string[] {
    return ["node", join(this.checkout, "dist/blackout.mjs"), ...words];
  }

  /** What a command ends with, prints and reports, as lines to compare. */
  async report(command: Case["command"], words: readonly string[], format: Format): Promise<readonly string[]> {
    const report = join(this.#folder, "report");
    rmSync(report, { force: true });
    const jobs = command === "check" ? ["-j", "1", "--no-journal"] : [];
    const ended = await this.#run([command, "--format", format, "--report", report, ...jobs, ...words]);
    const parts = { ...ended, stderr: withoutProgress(ended.stderr), report: readFileIfThere(report) };
    return Object.entries(parts).flatMap(([part, text]) =>
      withoutNames(text, [this.checkout, this.#folder])
        .split("\n")
        .map((line) => `${part}: ${line}`),
    );
  }

  #run(words: readonly string[]): Promise<Readonly<Record<"exit" | "stdout" | "stderr", string>>> {
    const [program, ...rest] = this.command(words) as [string, ...string[]];
    const child = spawn(program, rest, {
      cwd: this.#folder,
      env: this.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    return new Promise((done, fail) => {
      child.on("error", fail);
      child.on("close", (code, signal) => done({ exit: String(code ?? signal), stdout, stderr }));
    });
  }
}

/** Guests lie in the checkout that this tool is of, whichever build runs them. */
const ownCheckout = resolve(import.meta.dirname, "../..");

export const withoutNames = (text: string, folders: readonly string[]): string =>
  [...folders, ownCheckout]
    .reduce((shown, folder) => shown.replaceAll(folder, "FOLDER"), text)
    // A witness goes by a digest of all that is in it, the folder that the command ran in too.
    .replaceAll(/(replay"?,?\s+"?)[0-9a-f]{16}\b/g, "$1WITNESS");

/** How far a check was after so many seconds depends on how busy the computer is. */
export const withoutProgress = (text: string): string => text.replaceAll(/^blackout: .* a second, .*\n/gm, "");

function readFileIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "(there is none)";
  }
}
