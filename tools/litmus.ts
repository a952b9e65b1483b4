/** Runs the litmus command alone: npx tsx tools/litmus.ts FILE... */
import { litmusCommand } from "../src/app/commands/litmus.ts";

process.exitCode = await litmusCommand(process.argv.slice(2));
