/** The only real files, streams and clock. Everything else takes them as parameters. */

export { type AlarmLimits, startAlarm } from "./alarm.ts";
export { AppendFile, readAppended } from "./append-file.ts";
export { type AskingLine, answerQuestions, ask } from "./asking.ts";
export { runBuild } from "./build-command.ts";
export { isBuilt, witnessName } from "./cache-folder.ts";
export * from "./clock.ts";
export { sha256 } from "./digest.ts";
export { finishCommand } from "./endings.ts";
export { expectLongWork, tuneEngine } from "./engine.ts";
export { RealFiles } from "./files.ts";
export {
  fleetModules,
  type Job,
  type Queue,
  type QueueEvents,
  type Redis,
  type Worker as QueueWorker,
} from "./fleet-modules.ts";
export { hearInterrupts, watchInterrupts } from "./interrupts.ts";
export { type AskingThread, startAskingThread, type ThreadAnswer } from "./judge-threads.ts";
export { makeFolders } from "./make-folders.ts";
export { type MemoryEntry, MemoryFiles } from "./memory-files.ts";
export { importFile, importWith } from "./modules.ts";
export { computerName, freshName } from "./names.ts";
export { optimisedCode, v8NativeCode } from "./native-code.ts";
export { unwritable } from "./partial-file.ts";
export { realPorts } from "./ports.ts";
export { ScratchFile } from "./scratch.ts";
export { readSealed, seal } from "./sealed.ts";
export { shortageOf } from "./shortages.ts";
export * from "./streams.ts";
export * from "./threads.ts";
export * from "./user-files.ts";
export {
  isFile,
  isFolder,
  isSameFile,
  modifiedAt,
  namesIn,
  readIfRegular,
  readWhole,
  unreadable,
  writeWhole,
} from "./whole-files.ts";
export { type TreeFile, wholeFile, writeTree } from "./write-tree.ts";
