/** Runs the litmus command alone: npx tsx tools/litmus.ts FILE... */
import { litmusCommand } from "../src/cli/litmus.ts";

process.exitCode = await litmusCommand(process.argv.slice(2));
