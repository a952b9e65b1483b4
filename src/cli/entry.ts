/** The process: argv in, exit code out. */
import { main } from "./main.ts";

process.exitCode = await main(process.argv.slice(2));
