/**
 * `--rw` lets a guest change what lies below one directory, whatever it makes of the names there while it or another holds
 * what they meant (guests/programs/climber.c). Each attack is made natively as well: the guest gets the answers of Linux.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildGuest } from "../../tools/guests/build.ts";
import { inTemporaryDirectory, inTemporaryDirectoryLater, runGuest } from "../end-to-end/command.ts";
import { treeOf } from "../support/trees.ts";

const climber = buildGuest("programs/climber.c", ["-O1"]);
const staticClimber = buildGuest("programs/climber.c", ["-O1", "-static"]);

/** A directory to grant and one beside it with what must stay as it is. */
function places(base: string): { readonly granted: string; readonly outside: string } {
  const [granted, outside] = [join(base, "granted"), join(base, "outside")];
  mkdirSync(granted, { recursive: true });
  mkdirSync(join(outside, "empty"), { recursive: true });
  for (const name of ["victim", "other", "doomed"]) writeFileSync(join(outside, name), `${name} is as it was`);
  return { granted, outside };
}

const ways = ["removing", "renaming-over", "moving", "working-directory", "name"] as const;

describe("a guest that changes what a name means", () => {
  it.each(ways)("by %s, gets what Linux would give it, and nothing outside", (how) => {
    inTemporaryDirectory((base) => {
      const native = places(join(base, "native"));
      const { stdout } = spawnSync(climber, [how, native.granted, native.outside], { encoding: "utf8" });
      const { granted, outside } = places(join(base, "machine"));
      const before = treeOf(outside);
      const ran = runGuest(["--rw", granted], [climber, how, granted, outside]);
      expect(ran.stdout).toBe(stdout);
      expect(ran.stdout).not.toContain("is as it was");
      expect(treeOf(outside)).toEqual(before);
      expect(readdirSync(granted)).toEqual(readdirSync(native.granted));
    });
  });

  it("reads nothing outside another root either", () => {
    inTemporaryDirectory((base) => {
      const { granted: root, outside } = places(base);
      mkdirSync(join(root, "rw"));
      copyFileSync(staticClimber, join(root, "climber"));
      const before = treeOf(outside);
      for (const how of ways) {
        const { stdout } = runGuest(["--root", root, "--rw", "/rw"], ["/climber", how, "/rw", outside]);
        expect(stdout, how).toMatch(/^open: E/);
        expect(stdout, how).not.toContain("is as it was");
        for (const name of readdirSync(join(root, "rw"))) spawnSync("rm", ["-rf", join(root, "rw", name)]);
      }
      expect(treeOf(outside)).toEqual(before);
    });
  });

  it("cannot win a race together with somebody else", async () => {
    await inTemporaryDirectoryLater(async (base) => {
      const { granted, outside } = places(base);
      const before = treeOf(outside);
      const swapper = spawn(climber, ["swap", granted, outside], { stdio: ["ignore", "pipe", "ignore"] });
      try {
        await once(swapper.stdout, "data");
        const { code, stderr } = runGuest(["--rw", granted], [climber, "race", granted, outside]);
        expect(code).toBe(0);
        expect(stderr).toMatch(/^written \d+ times\n/);
      } finally {
        swapper.kill("SIGKILL");
        await once(swapper, "close");
      }
      expect(treeOf(outside)).toEqual(before);
    });
  });

  it("gives no file a set-user-id or set-group-id bit", () => {
    inTemporaryDirectory((base) => {
      const { granted, outside } = places(base);
      const { stdout } = runGuest(["--rw", granted], [climber, "set-ids", granted, outside]);
      expect(stdout).toBe("chmod: done\nfchmod: done\nmkdir: done\nchmod folder: done\n");
      expect(statSync(join(granted, "set")).mode & 0o7777).toBe(0o777);
      expect(statSync(join(granted, "set-folder")).mode & 0o7777).toBe(0o1777);
    });
  });

  it("is granted the directory itself, not a link that another could turn", () => {
    inTemporaryDirectory((base) => {
      const { granted, outside } = places(base);
      symlinkSync(granted, join(base, "link"));
      const { code } = runGuest(["--rw", join(base, "link")], [climber, "set-ids", join(base, "link"), outside]);
      expect(code).toBe(0);
      expect(readFileSync(join(granted, "set"), "latin1")).toBe("");
    });
  });
});
