/** Programs in a directory of their own, built as one executable, and Blackout's commands on them. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../src/app/commands/main.ts";
import type * as document from "../../src/report/document/index.ts";
import { blackout } from "../end-to-end/command.ts";
import type { Program } from "./program.ts";
import { sourceOf, type Written } from "./source.ts";

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly report?: document.Report;
}

/** Another build of Blackout, to see what it says. */
const isOurs = process.env.WHOLE_BLACKOUT === undefined;
const command = process.env.WHOLE_BLACKOUT ?? blackout;
const patience = { timeout: 180_000, killSignal: "SIGKILL", maxBuffer: 2 ** 26 } as const;

export class Built {
  readonly folder = mkdtempSync(join(tmpdir(), "blackout-whole-"));
  readonly programs: readonly Program[];
  readonly written: Written;
  readonly #file: string;

  constructor(programs: readonly Program[]) {
    this.programs = programs;
    this.written = sourceOf(programs);
    this.#file = programs.some(({ language }) => language === "c++") ? "whole.cpp" : "whole.c";
    this.#build(this.written.text, this.folder);
  }

  #build(text: string, folder: string): void {
    writeFileSync(join(folder, this.#file), text);
    const compiler = this.#file.endsWith("pp") ? "g++" : "gcc";
    const options = ["-g", "-O1", "-w", "-mclwb", "-mclflushopt", "-static", "-pthread", "-o", "whole", this.#file];
    execFileSync(compiler, options, { stdio: "pipe", cwd: folder });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  /** Options that say how a program is set up and recovers, and the program. */
  words(number: number, command: string, folder = this.folder): string[] {
    const { pools, isSplit } = this.programs[number]!;
    const program = `${join(folder, "whole")} ${number} ${join(folder, "pool")}`;
    const isBefore = pools.some(({ made }) => made === "before");
    // The other commands take one recovery.
    const isTwice = isSplit && (command === "check" || command === "fix");
    const recoveries = isTwice ? [`${program} repair`, `${program} judge`] : [`${program} check`];
    return [
      ...(isBefore ? ["--setup", `${program} setup`] : []),
      ...(command === "trace" ? [] : recoveries.flatMap((one) => ["--recover", one])),
      ...["--", ...program.split(" ")],
    ];
  }

  /** A process of its own, for what it prints. */
  run(args: readonly string[]): Answer {
    const { status, signal, stdout, stderr } = spawnSync(command, args, {
      encoding: "utf8",
      cwd: this.folder,
      ...patience,
    });
    return { code: status ?? (signal === "SIGKILL" ? 137 : 255), stdout, stderr };
  }

  /** A command's report as data; what it prints only where it gives no verdict, or is another build's. */
  async judged(name: string, number: number, options: readonly string[], folder = this.folder): Promise<Answer> {
    const path = join(folder, "report.json");
    rmSync(path, { force: true });
    const args = [name, ...options, "--format", "json", "--report", path, ...this.words(number, name, folder)];
    const code = isOurs ? await main(args) : undefined;
    const answer = code === 0 || code === 1 ? { code, stdout: "", stderr: "" } : this.run(args);
    return existsSync(path) ? { ...answer, report: JSON.parse(readFileSync(path, "utf8")) } : answer;
  }

  /** The source with a patch, built in a folder of its own. */
  patched(patch: string): string {
    const other = mkdtempSync(join(this.folder, "fixed-"));
    writeFileSync(join(other, this.#file), this.written.text);
    execFileSync("patch", ["-s", "-p1"], { cwd: other, input: patch, stdio: "pipe" });
    this.#build(readFileSync(join(other, this.#file), "utf8"), other);
    return other;
  }
}
