/** The guests below guests/check, compiled with one of their seeded mistakes or without. */
import { compileGuest } from "../support/programs.ts";

export const pool = "/tmp/blackout-check-pool.img";

/** Static: a recovery then starts in a few thousand instructions. */
export const checkGuest = (name: string, bug: string | undefined): string =>
  compileGuest(`check/${name}.c`, ["-O1", "-g", "-static", ...(bug === undefined ? [] : [`-DBUG_${bug}`])]);
