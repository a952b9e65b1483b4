export { GuestMemory, type MemoryHooks } from "./memory.ts";
export type { PageChange, Version as MemorySnapshot } from "./versions.ts";
