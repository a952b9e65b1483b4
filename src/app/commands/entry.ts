/** The process: argv in, exit code out. All output is written when `main` is done, so nothing is waited for. */
import { tuneEngine } from "../../host/index.ts";
import { loadBundle } from "./launch.ts";

tuneEngine();
process.exit(await loadBundle().main(process.argv.slice(2)));
