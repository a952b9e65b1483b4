/** Translations in files are an aid alone: a command does the same without them, with new, old, foreign and damaged ones. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkGuest } from "../check/guests.ts";
import { compileGuest } from "../support/programs.ts";
import { blackout, type Ended, inTemporaryDirectory, runBlackout } from "./command.ts";

const program = () => compileGuest("bench/stores.c");
const other = () => compileGuest("bench/hello.c", ["-O2", "-no-pie"]);

/** The report, and the trace with every instruction's address and count in it. */
function traced(cache: string, folder: string, stores = 800): Ended & { readonly trace: Buffer } {
  const trace = join(folder, "trace");
  const environment = { BLACKOUT_CACHE: cache };
  const args = [
    "trace",
    "--format",
    "json",
    "--out",
    trace,
    "--",
    program(),
    "/tmp/blackout-kept-pool",
    String(stores),
  ];
  const ended = runBlackout(args, { environment });
  return { ...ended, trace: readFileSync(trace) };
}

const filesIn = (folder: string, kind = ""): string[] =>
  readdirSync(folder)
    .filter((name) => name.includes(kind))
    .map((name) => join(folder, name));

it("traces the same without a cache, with an empty one and with what the last run left", () =>
  inTemporaryDirectory((folder) => {
    const cache = join(folder, "a/cache");
    const off = traced("off", folder);
    expect(off.code).toBe(0);
    expect(traced(cache, folder)).toEqual(off);
    const [file, ...more] = filesIn(cache, "-traced");
    expect(more).toEqual([]);
    const left = readFileSync(file!);
    expect(traced(cache, folder)).toEqual(off);
    expect(readFileSync(file!)).toEqual(left);
  }));

it("traces the same with machine code that earlier runs left of what was hot in them", () =>
  inTemporaryDirectory((folder) => {
    const [cache, stores] = [join(folder, "cache"), 200_000];
    const off = traced("off", folder, stores);
    for (let run = 0; run < 3; run++) {
      const { trace, ...ended } = traced(cache, folder, stores);
      expect(trace.equals(off.trace)).toBe(true);
      expect(ended).toEqual({ code: off.code, stdout: off.stdout, stderr: off.stderr });
    }
  }));

it.each<[string, (file: string, foreign: Buffer) => void]>([
  ["empty", (file) => writeFileSync(file, "")],
  ["cut short", (file) => writeFileSync(file, readFileSync(file).subarray(0, 100_000))],
  ["that of another program", (file, foreign) => writeFileSync(file, foreign)],
  [
    "with other bytes in it",
    (file) => {
      const bytes = readFileSync(file);
      for (let at = 100; at < bytes.length; at += 500) bytes[at] = ~bytes[at]!;
      writeFileSync(file, bytes);
    },
  ],
])("runs a program when its file is %s", (_, change) =>
  inTemporaryDirectory((folder) => {
    const environment = { BLACKOUT_CACHE: join(folder, "cache") };
    const run = (): Ended => runBlackout(["run", "--", other()], { environment });
    const elsewhere = { BLACKOUT_CACHE: join(folder, "elsewhere") };
    runBlackout(["run", "--", "/bin/true"], { environment: elsewhere });
    const [foreign] = filesIn(elsewhere.BLACKOUT_CACHE);
    expect(run()).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
    const [own] = filesIn(environment.BLACKOUT_CACHE) as [string];
    change(own, readFileSync(foreign!));
    const changed = readFileSync(own);
    expect(run()).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
    expect(readFileSync(own)).not.toEqual(changed);
  }),
);

it("begins a program's first run with what another one left", () =>
  inTemporaryDirectory((folder) => {
    const environment = { BLACKOUT_CACHE: join(folder, "cache") };
    const copy = join(folder, "copy");
    copyFileSync(other(), copy);
    for (const program of [other(), copy])
      expect(runBlackout(["run", "--", program], { environment })).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
    // The copy made nothing that was not there, so it left nothing.
    expect(filesIn(environment.BLACKOUT_CACHE)).toHaveLength(1);
  }));

it("says nothing of a folder that cannot be made", () =>
  inTemporaryDirectory((folder) => {
    writeFileSync(join(folder, "file"), "");
    const environment = { BLACKOUT_CACHE: join(folder, "file/cache") };
    expect(runBlackout(["run", "--", other()], { environment })).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
  }));

it("keeps the user's caches together, unless told otherwise", () =>
  inTemporaryDirectory((folder) => {
    const environment = { BLACKOUT_CACHE: "", XDG_CACHE_HOME: folder };
    runBlackout(["run", "--", other()], { environment });
    expect(filesIn(join(folder, "blackout"))).toHaveLength(1);
  }));

it("leaves a whole file when commands end at the same time", () =>
  inTemporaryDirectory((folder) => {
    const env = { ...process.env, BLACKOUT_CACHE: folder };
    const script = 'for i in 1 2 3; do "$0" run -- "$1" & done; wait';
    expect(execFileSync("sh", ["-c", script, blackout, other()], { env, encoding: "utf8" })).toBe(
      "hello\nhello\nhello\n",
    );
    const [file, ...more] = filesIn(folder);
    expect(more).toEqual([]);
    const left = readFileSync(file!);
    runBlackout(["run", "--", other()], { environment: { BLACKOUT_CACHE: folder } });
    expect(readFileSync(file!)).toEqual(left);
  }));

it("removes the oldest files of its own when the folder is full", () =>
  inTemporaryDirectory((folder) => {
    const cache = join(folder, "cache");
    mkdirSync(cache);
    const named = (name: string, megabytes: number, year: number): string => {
      const file = join(cache, name);
      writeFileSync(file, "");
      truncateSync(file, megabytes << 20);
      utimesSync(file, new Date(year, 0), new Date(year, 0));
      return file;
    };
    const old = named("blackout-0123456789ab-0123456789abcdef-plain", 100, 2001);
    const killed = named("blackout-0123456789ab-0123456789abcdef-plain.1.2", 100, 2002);
    const recent = named("blackout-0123456789ab-0123456789abcdef-traced", 100, 2003);
    const foreign = named("notes", 300, 2000);
    runBlackout(["run", "--", other()], { environment: { BLACKOUT_CACHE: cache } });
    expect([old, killed, recent, foreign].map((file) => existsSync(file))).toEqual([false, true, true, true]);
  }));

const mistaken = `
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
  int file = open("/tmp/blackout-kept-frames", O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, 4096)) return 1;
  char *pool = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, file, 0);
  pool[0] = 1;
  return 0;
}
`;

it("tells lines of the program as it is now, not of what lay there before", () =>
  inTemporaryDirectory((folder) => {
    const [source, built] = [join(folder, "source.c"), join(folder, "built")];
    const linesAfter = (shift: number): readonly string[] => {
      writeFileSync(source, "\n".repeat(shift) + mistaken);
      execFileSync("gcc", ["-g", "-D_GNU_SOURCE", "-o", built, source]);
      return ["off", join(folder, "cache"), join(folder, "cache")].map((cache) => {
        const { stderr } = runBlackout(["trace", "--", built], { environment: { BLACKOUT_CACHE: cache } });
        return /source\.c:(\d+)/.exec(stderr)![1]!;
      });
    };
    expect(linesAfter(0)).toEqual(["9", "9", "9"]);
    expect(linesAfter(5)).toEqual(["14", "14", "14"]);
    expect(filesIn(join(folder, "cache"), "-frames").length).toBeGreaterThan(0);
  }));

it("neither reads nor writes a folder that others may write to", () =>
  inTemporaryDirectory((folder) => {
    const cache = join(folder, "cache");
    const off = traced("off", folder);
    mkdirSync(cache);
    for (const mode of [0o770, 0o702]) {
      chmodSync(cache, mode);
      expect(traced(cache, folder)).toEqual(off);
      expect(filesIn(cache)).toEqual([]);
    }
    chmodSync(cache, 0o755);
    expect(traced(cache, folder)).toEqual(off);
    expect(filesIn(cache, "-traced")).toHaveLength(1);
  }));

it("takes no file from it that is another's, that others may write to, or that is a link", () =>
  inTemporaryDirectory((folder) => {
    const cache = join(folder, "cache");
    const environment = { BLACKOUT_CACHE: cache };
    runBlackout(["run", "--", other()], { environment });
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    const [file] = filesIn(cache) as [string];
    const whole = readFileSync(file);
    for (const change of [() => chmodSync(file, 0o622), () => plantLink(file, join(folder, "elsewhere"), whole)]) {
      change();
      expect(runBlackout(["run", "--", other()], { environment })).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
      // What is not taken is made again, in its place.
      expect(lstatSync(file).isFile() && (lstatSync(file).mode & 0o777) === 0o600).toBe(true);
    }
    expect(readFileSync(join(folder, "elsewhere"))).toEqual(whole);
  }));

function plantLink(file: string, target: string, contents: Buffer): void {
  writeFileSync(target, contents);
  rmSync(file);
  symlinkSync(target, file);
}

it("keeps the witnesses of the last reports by age and size, and says for how long", () =>
  inTemporaryDirectory((folder) => {
    const cache = join(folder, "cache");
    mkdirSync(cache);
    const file = join(cache, `witness-${"0".repeat(16)}`);
    const aged = (days: number) => {
      writeFileSync(file, "");
      const seconds = Date.now() / 1000 - days * 24 * 3600;
      utimesSync(file, seconds, seconds);
    };
    const guest = checkGuest("creating", "ORDER");
    const words = ["--no-rules", "--no-fix", "--format", "json", "--recover", `${guest} a.pool check`];
    const check = (where: string, ...more: string[]) =>
      runBlackout(["check", ...words, ...more, "--", guest, "a.pool"], {
        cwd: folder,
        environment: { BLACKOUT_CACHE: where },
      });
    aged(29);
    const kept = check(cache);
    expect(existsSync(file)).toBe(true);
    // Files of caches fill the folder: they take no witness's place.
    for (const at of [1, 2]) {
      const large = join(cache, `blackout-0123456789ab-0123456789abcde${at}-plain`);
      writeFileSync(large, "");
      truncateSync(large, 200 << 20);
    }
    aged(31);
    expect(check(cache, "--format", "text").stderr).toMatch(/; again within 30 days: blackout replay [0-9a-f]{16}\n/);
    expect(existsSync(file)).toBe(false);
    const { findings } = JSON.parse(kept.stdout);
    const replay = (name: string, where: string) =>
      runBlackout(["replay", name], { cwd: "/", environment: { BLACKOUT_CACHE: where } });
    const name = findings[0].witness.replay[2] as string;
    expect(replay(name, cache).code).toBe(1);
    const off = check("off");
    expect(off.stdout).toBe(kept.stdout);
    expect(off.stderr).toContain("no witness is kept here for blackout replay: --witness FILE writes them");
    expect(replay(name, "off").stderr).toMatch(/^blackout: Nothing is kept by the name of /);
  }));
