/** A guest cannot harm its host: guests/programs/intruder.c tries, from outside we look whether it got anywhere. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildGuest } from "../../tools/guests/build.ts";
import { treeOf } from "../support/trees.ts";
import { inTemporaryDirectory, runGuest } from "./command.ts";

const intruder = buildGuest("programs/intruder.c", ["-O1", "-pthread"]);

function victims(directory: string): void {
  for (const name of ["victim", "other", "doomed"]) writeFileSync(join(directory, name), `${name} is as it was`);
}

const changed = ["write", "mmap", "create", "mkdir", "rename", "link", "symlink", "chmod", "unlink", "through /proc"];

describe("files", () => {
  it("of the host stay as they are, while the guest sees its own changes", () => {
    inTemporaryDirectory((directory) => {
      victims(directory);
      const before = treeOf(directory);
      const { stdout, code } = runGuest([], [intruder, "files", directory]);
      for (const what of changed) expect(stdout).toContain(`${what}: done\n`);
      expect(stdout).toContain("the guest sees PROCGED");
      expect(treeOf(directory)).toEqual(before);
      expect(code).toBe(0);
    });
  });
  it("of a granted directory change, and of its neighbour do not", () => {
    inTemporaryDirectory((directory) => {
      const [granted, neighbour] = [join(directory, "granted"), join(directory, "granted-not")];
      for (const folder of [granted, neighbour]) {
        mkdirSync(folder);
        victims(folder);
      }
      const before = treeOf(neighbour);
      runGuest(["--rw", granted], [intruder, "files", granted]);
      runGuest(["--rw", granted], [intruder, "files", neighbour]);
      runGuest(["--rw", granted], [intruder, "files", join(granted, "../granted-not")]);
      expect(readFileSync(join(granted, "victim"), "latin1")).toMatch(/^PROCGED/);
      expect(readdirSync(granted).sort((a, b) => (a < b ? -1 : 1))).toEqual([
        "directory",
        "hard",
        "moved",
        "new",
        "soft",
        "victim",
      ]);
      expect(treeOf(neighbour)).toEqual(before);
    });
  });
  it("outside are not reached through links in a granted directory", () => {
    inTemporaryDirectory((directory) => {
      const [granted, outside] = [join(directory, "granted"), join(directory, "outside")];
      for (const folder of [granted, outside]) mkdirSync(folder);
      victims(outside);
      symlinkSync(join(outside, "victim"), join(granted, "absolute"));
      symlinkSync("../outside/victim", join(granted, "relative"));
      symlinkSync("../outside", join(granted, "folder"));
      const before = treeOf(outside);
      for (const path of ["absolute", "relative", "folder/victim", "folder/../outside/other", "../outside/doomed"]) {
        const { stdout } = runGuest(["--rw", granted], [intruder, "link", `${granted}/${path}`]);
        expect(stdout).toBe("open: done\nwrite: done\nthe guest sees CHANGED\n");
      }
      expect(treeOf(outside)).toEqual(before);
    });
  });
  it("of another root are all there is", () => {
    inTemporaryDirectory((root) => {
      copyFileSync(buildGuest("programs/intruder.c", ["-O1", "-pthread", "-static"]), join(root, "intruder"));
      writeFileSync(join(root, "only.txt"), "only this");
      symlinkSync("/../../../etc/passwd", join(root, "escape"));
      const overwrite = (path: string) => runGuest(["--root", root], ["/intruder", "link", path]).stdout;
      expect(overwrite("/only.txt")).toBe("open: done\nwrite: done\nthe guest sees CHANGED\n");
      for (const path of ["/escape", "/etc/passwd", "/../../../etc/passwd"])
        expect(overwrite(path)).toMatch(/^open: ENOENT/);
      expect(readFileSync(join(root, "only.txt"), "latin1")).toBe("only this");
    });
  });
});

describe("the rest of the host", () => {
  it("has no network", () => {
    const { stdout, stderr } = runGuest([], [intruder, "sockets"]);
    for (const family of ["inet", "inet6", "unix", "netlink", "socketpair"])
      expect(stdout).toMatch(new RegExp(`^${family}: E\\w+$`, "m"));
    expect(stderr).toMatch(/the machine has no network/);
  });
  it("has no other processes, no devices and no environment", () => {
    const { stdout, stderr } = runGuest([], [intruder, "processes"], { environment: { SECRET: "hidden" } });
    expect(stdout).not.toContain("done");
    expect(stdout).toContain("secret (none)");
    expect(stderr).toMatch(/wanted a new process with \w+ at .* not supported/);
    // The program that takes its place is a guest like it.
    expect(stdout).toMatch(/cat\0\/proc\/self\/environ\0\/proc\/self\/cmdline\0$/);
    expect(stdout).not.toContain("hidden");
  });
  it("gives what it is asked to give", () => {
    const { stdout } = runGuest(["--env", "SECRET", "--env", "B=c=d"], ["/usr/bin/env"], {
      environment: { SECRET: "shown" },
    });
    expect(stdout).toContain("SECRET=shown\n");
    expect(stdout).toContain("B=c=d\n");
  });
});

describe("limits", () => {
  it("of memory: the guest gets ENOMEM, the user is told", () => {
    const { stdout, stderr } = runGuest(["--max-memory", "64Mi"], [intruder, "memory"]);
    expect(stdout).toMatch(/^ENOMEM after [345]\d MiB\n$/);
    expect(stderr).toMatch(/limit of 67108864 bytes of memory/);
  });
  it("of the address space: more than the machine has is refused", () => {
    expect(runGuest([], [intruder, "reserve"]).stdout).toBe("mmap 1 TiB: ENOMEM\nmalloc 8 GiB: ENOMEM\n");
  });
  it("of files: the guest's disk is full", () => {
    const { stdout, stderr } = runGuest(["--max-file-bytes", "4Mi"], [intruder, "disk"]);
    expect(stdout).toBe("ENOSPC after 4096 KiB\n");
    expect(stderr).toMatch(/limit of 4194304 bytes of files/);
    const made = runGuest(["--max-files", "5"], [intruder, "directories"]);
    expect(made.stdout).toBe("ENOSPC after 5\n");
    expect(made.stderr).toMatch(/limit of 5 files/);
  });
  it("of threads: the guest gets EAGAIN, the user is told", () => {
    const { stdout, stderr } = runGuest(["--max-threads", "8"], [intruder, "threads"]);
    expect(stdout).toBe("EAGAIN after 7 threads\n");
    expect(stderr).toMatch(/limit of 8 threads/);
  });
  it("of open files: as Linux has it, or as the user says", () => {
    expect(runGuest([], [intruder, "opens"]).stdout).toBe("EMFILE after 1021\n");
    const { stdout, stderr } = runGuest(["--max-descriptors", "16"], [intruder, "opens"]);
    expect(stdout).toBe("EMFILE after 13\n");
    expect(stderr).toMatch(/limit of 16 descriptors/);
  });
  it("of output: the run ends without a verdict", () => {
    const { code, stdout, stderr } = runGuest(["--max-output", "100k"], [intruder, "output"]);
    expect(code).toBe(3);
    expect(stdout.length).toBeLessThanOrEqual(100_000);
    expect(stderr).toMatch(/more output than its limit/);
  });
  it("of instructions: the run ends without a verdict", () => {
    const { code, stderr } = runGuest(["--max-instructions", "2M"], [intruder, "loop"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/2000000 instructions, which is its limit/);
  });
  it("of patience: when nothing can ever happen again, the run ends and says who waits", () => {
    const { code, stderr } = runGuest([], [intruder, "deadlock"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/every thread waits[\s\S]*a futex at 0x/);
  });
});
