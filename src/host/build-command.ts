/** The user's own build, run by their shell. */
import { spawnSync } from "node:child_process";

/** Its output goes to standard error, so that ours stays clean. Whether it succeeded. */
export const runBuild = (command: string): boolean =>
  spawnSync("/bin/sh", ["-c", command], { stdio: ["inherit", 2, 2] }).status === 0;
