/** What can happen in a trace, and the number of each kind. The machine's compiled code notes the first of them itself. */
export const machineKinds = [
  "clflush",
  "clflushopt",
  "clwb",
  "sfence",
  "mfence",
  "lfence",
  "locked",
  "store",
  "non-temporal",
] as const;

/** Noted by the machine's TypeScript side at their place among the others; numbered from `firstNote`. */
export const noteKinds = [
  "map",
  "unmap",
  "msync",
  "thread-start",
  "thread-end",
  "output",
  "marker",
  "request",
  "exit",
  "written",
  "fsync",
] as const;

export type MachineKind = (typeof machineKinds)[number];
export type NoteKind = (typeof noteKinds)[number];
export type EventKind = MachineKind | NoteKind;

export const firstNote = 16;

export const codeOf = {
  ...Object.fromEntries(machineKinds.map((kind, index) => [kind, index])),
  ...Object.fromEntries(noteKinds.map((kind, index) => [kind, firstNote + index])),
} as Readonly<Record<EventKind, number>>;

export const kindOf = (code: number): EventKind | undefined => machineKinds[code] ?? noteKinds[code - firstNote];

/**
 * Within the machine alone, while threads run by a schedule (machine/runtime/scheduling.ts): what lay where the next store goes, stores to
 * memory that is not persistent, whose numbers are those of the others and `toVolatile`, and loads. No trace has them.
 */
export const codeOfBefore = machineKinds.length;
export const toVolatile = 3;
export const codeOfLoad = machineKinds.length + toVolatile;

/** What a program says about its persistent memory through pmemcheck's and memcheck's client requests. */
export const requestKinds = [
  "register-mapping",
  "register-file",
  "remove-mapping",
  "flush",
  "fence",
  "set-clean",
  "log-stores",
  "no-log-stores",
  "tx-start",
  "tx-end",
  "tx-add",
  "tx-remove",
  "tx-join",
  "tx-leave",
  "tx-ignore",
  "object-allocated",
  "object-freed",
] as const;
export type RequestKind = (typeof requestKinds)[number];

export const mapFlags = { persistent: 1, executable: 2 } as const;
export const pageBytes = 4096;
