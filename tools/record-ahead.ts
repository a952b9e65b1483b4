/**
 * Does ahead what can be done for the bundle that lies beside this program once built (tools/build.mjs, src/app/commands/launch.ts).
 * The code cache has the functions that ordinary commands call; which ones they are only decides how fast a command
 * starts.
 */
import { writeFileSync } from "node:fs";
import { compileBundle, sealAhead } from "../src/app/commands/launch.ts";
import { tuneEngine } from "../src/host/index.ts";

/** A shell is on every computer that has programs to run: it loads libraries, calls the kernel and has a hot loop. */
const shell = ["--", "/bin/sh", "-c", 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; echo "$i" | /bin/cat'];
const commands = [
  ["run", ...shell],
  // Again, with the blocks that the first has translated.
  ["run", ...shell],
  ["trace", "--report", "/dev/null", ...shell],
];

tuneEngine();
const { script, bundle } = compileBundle();
const prepared = await bundle.prepare();
bundle.usePrepared(prepared);
for (const command of commands) await bundle.main(command);
const [, , file] = process.argv;
if (file === undefined) throw new Error("usage: record-ahead FILE");
writeFileSync(file, sealAhead({ code: script.createCachedData(), prepared }));
