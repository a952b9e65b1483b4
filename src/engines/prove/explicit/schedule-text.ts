/** A schedule with a crash, in words: what the threads did in which order, and what recovery found. */
import type { ProgramCode } from "../code/program-code.ts";
import type { ExplicitVerdict, ScheduleMove } from "./all-schedules.ts";

export function scheduleLines({ moves = [], found = [] }: ExplicitVerdict, code: ProgramCode): string[] {
  const named = (address: number, value: bigint) => `${code.nameOf(address)}=${valueText(value, code)}`;
  const lineOf = ({ thread, what, at, address, value }: ScheduleMove): string => {
    const place = address === undefined || value === undefined ? undefined : named(address, value);
    if (at === undefined) return `T${thread}: ${place ?? what}${place === undefined ? "" : " is visible"}`;
    const finds = what === "load" || what === "update" ? "finds " : "";
    return `T${thread}: ${what} in ${code.describe(at)}${place === undefined ? "" : `: ${finds}${place}`}`;
  };
  const recovered = new Set(found.map(({ address, value }) => `recovered ${named(address, value)}`));
  return [...moves.map(lineOf), ...recovered];
}

/** A value that is the address of a variable is shown as that. */
function valueText(value: bigint, code: ProgramCode): string {
  const name = code.nameOf(Number(value));
  return name.startsWith("0x") ? `${value}` : `&${name}`;
}
