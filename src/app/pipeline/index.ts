/** What the commands run: `check` and `fix` from end to end, as data in and data out. */
export { allRules } from "./all-rules.ts";
export { builtFile } from "./built-file.ts";
export { type Checked, type CheckOptions, checkDefaults, checkProgram } from "./check.ts";
export { type FixedProgram, type FixOptions, fixProgram, type Inserted, type Removed } from "./fix.ts";
export { readFixInput } from "./fix-inputs.ts";
export { isNewer, patchFolder } from "./open-sources.ts";
export { type HostLimits, judge, type PipelinePorts, type ProgressPort } from "./ports.ts";
export { type SourceOptions, Sources } from "./sources.ts";
