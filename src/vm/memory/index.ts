export { GuestMemory, type MemoryHooks } from "./memory.ts";
export type { Version as MemorySnapshot } from "./versions.ts";
