/** What the system may refuse to a process at any moment. It is nobody's mistake here: told in a sentence with what to do. */
import { InputError } from "../base/index.ts";

interface Shortage {
  readonly code: string;
  readonly sentence: string;
  readonly shows: (error: Error & { readonly code?: unknown; readonly syscall?: unknown }) => boolean;
}

const shortages: readonly Shortage[] = [
  {
    code: "host/directory-gone",
    sentence: "The working directory is gone, or may not be entered: change to one that is there.",
    shows: ({ syscall }) => syscall === "uv_cwd",
  },
  {
    code: "host/descriptors",
    sentence: "The system lets Blackout open no more files: raise its limit (ulimit -n), or close other programs.",
    shows: ({ code }) => code === "EMFILE" || code === "ENFILE",
  },
  {
    code: "host/addresses",
    sentence:
      "The system gives Blackout no more memory, or no more addresses, of which it needs far more: raise the limits (ulimit -v, ulimit -d), or use fewer workers (-j 1).",
    shows: (error) =>
      error.code === "ENOMEM" ||
      error.code === "ERR_WORKER_OUT_OF_MEMORY" ||
      (error instanceof RangeError && /WebAssembly\.\w+\(\): .*memory|allocation failed/i.test(error.message)),
  },
];

/** The sentence for an error that is the system's; undefined for any other. */
export function shortageOf(error: unknown): InputError | undefined {
  if (!(error instanceof Error)) return undefined;
  const found = shortages.find(({ shows }) => shows(error));
  return found && new InputError(found.code, found.sentence);
}
