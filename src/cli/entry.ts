/** The process: argv in, exit code out. */
import { tuneEngine } from "../host/index.ts";
import { loadBundle } from "./launch.ts";

tuneEngine();
process.exitCode = await loadBundle().main(process.argv.slice(2));
