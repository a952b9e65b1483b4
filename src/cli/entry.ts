/** The process: argv in, exit code out. */
import { tuneEngine } from "../host/index.ts";
import { main } from "./main.ts";

tuneEngine();
process.exitCode = await main(process.argv.slice(2));
