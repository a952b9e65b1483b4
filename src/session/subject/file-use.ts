/**
 * What a run does with files, for who has to say why nothing of it was judged. One watch is made for each run: its options go to the
 * machine before the program is loaded, `begin` comes before the first instruction, and `use` is asked when the run is over.
 */
import {
  type FileVersion,
  KnownEntries,
  type Machine,
  type MachineOptions,
  textFromPath,
} from "../../machine/index.ts";

export interface FileUse {
  /** Files that it mapped shared and writable, as persistent memory. */
  readonly persistent: readonly string[];
  /** Files that it mapped so too, and that are none of those named as persistent memory. */
  readonly unmatched: readonly string[];
  /** How many other files it wrote by calls. Files below a granted directory are the host's, and not among them. */
  readonly written: number;
  /** System calls that it made and that are not supported. */
  readonly unsupported: readonly string[];
}

export class FileUseWatch {
  readonly #persistent = new Set<string>();
  readonly #unmatched = new Set<string>();
  readonly #unsupported = new Set<string>();
  readonly #entries = new KnownEntries();
  #before: FileVersion = new Map();

  /** The same options, with an eye on what the machine asks and tells. */
  watching(options: Partial<MachineOptions>): Partial<MachineOptions> {
    const { isPersistent = () => true, hooks } = options;
    return {
      ...options,
      isPersistent: (path) => {
        const is = isPersistent(path);
        (is ? this.#persistent : this.#unmatched).add(path);
        return is;
      },
      hooks: {
        ...hooks,
        unsupported: (call) => {
          this.#unsupported.add(call);
          hooks?.unsupported?.(call);
        },
      },
    };
  }

  begin(machine: Machine): void {
    this.#before = machine.exportFiles(this.#entries);
  }

  use(machine: Machine): FileUse {
    const isMapped = (path: string) => this.#persistent.has(path) || this.#unmatched.has(path);
    const changed = [...machine.exportFiles(this.#entries)].filter(
      ([path, { kind, number }]) => kind === "file" && this.#before.get(path)?.number !== number && !isMapped(path),
    );
    return {
      persistent: [...this.#persistent].map(textFromPath),
      unmatched: [...this.#unmatched].map(textFromPath),
      written: changed.length,
      unsupported: [...this.#unsupported],
    };
  }
}
