/**
 * Records V8's code cache of the bundle that lies beside this program once built (tools/build.mjs): the functions that
 * ordinary commands call are compiled in it. Which ones they are only decides how fast a command starts.
 */
import { writeFileSync } from "node:fs";
import { compileBundle, sealCache } from "../src/cli/launch.ts";
import { tuneEngine } from "../src/host/index.ts";

/** A shell is on every computer that has programs to run: it loads libraries, calls the kernel and has a hot loop. */
const shell = ["--", "/bin/sh", "-c", 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; echo "$i" | /bin/cat'];
const commands = [
  ["run", ...shell],
  ["trace", "--report", "/dev/null", ...shell],
];

tuneEngine();
const { script, bundle } = compileBundle(undefined);
for (const command of commands) await bundle.main(command);
const [, , file] = process.argv;
if (file === undefined) throw new Error("usage: record-cache FILE");
writeFileSync(file, sealCache(script.createCachedData()));
