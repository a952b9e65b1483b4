/** The guests below guests/check, compiled with one of their seeded mistakes or without. */
import { existsSync } from "node:fs";
import { compileGuest, guestSource } from "../support/programs.ts";

export const pool = "/tmp/blackout-check-pool.img";

/** raw: flushes as instructions, and static, so that a recovery starts in a few thousand instructions. */
export type Backend = "raw" | "libpmem";
const flags: Readonly<Record<Backend, readonly string[]>> = {
  raw: ["-static"],
  libpmem: ["-DPM_LIBPMEM", "-lpmem"],
};

function sourceBelow(name: string): string {
  const source = [`check/${name}.c`, `check/${name}.cpp`].find((path) => existsSync(guestSource(path)));
  if (source === undefined) throw new Error(`there is no guest called ${name}`);
  return source;
}

/** The path of a guest's source. */
export const checkSource = (name: string): string => guestSource(sourceBelow(name));

export function checkGuest(name: string, bug: string | undefined, backend: Backend = "raw"): string {
  return compileGuest(sourceBelow(name), [
    "-O1",
    "-g",
    ...flags[backend],
    ...(bug === undefined ? [] : [`-DBUG_${bug}`]),
  ]);
}
