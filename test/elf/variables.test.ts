/** Variables, their places and the frames they are in, compared with gdb at every few instructions of a program. */
import { afterAll, describe, expect, test } from "vitest";
import {
  createVariableReader,
  type Location,
  readElf,
  readSymbols,
  type ScopedVariable,
  segmentTypes,
} from "../../src/program/elf/index.ts";
import { openFrame, type StackFrame } from "../../src/program/symbols/index.ts";
import { bytesOf, isInstalled, openWorkshop } from "./compile.ts";
import { type GdbFrame, type GdbSample, type GdbVariable, sampleWithGdb } from "./gdb.ts";
import { cppVariables, cVariables } from "./variable-subjects.ts";

const workshop = openWorkshop();
afterAll(() => workshop.close());

function memoryOf({ memory }: GdbSample) {
  const areas = memory.map(({ start, bytes }) => ({ start: BigInt(start), bytes: Buffer.from(bytes, "hex") }));
  return (address: bigint, size: number): bigint | undefined => {
    for (const { start, bytes } of areas) {
      const at = Number(address - start);
      if (size < 1 || at < 0 || at + size > bytes.length) continue;
      return BigInt(
        `0x${Buffer.from(bytes.subarray(at, at + size))
          .reverse()
          .toString("hex")}`,
      );
    }
    return undefined;
  };
}

/** The value of up to eight bytes at a location; undefined when it is not all known. */
function valueAt(location: Location | undefined, size: number, frame: StackFrame): bigint | undefined {
  const cut = (value: bigint | undefined) => (value === undefined ? undefined : BigInt.asUintN(size * 8, value));
  switch (location?.kind) {
    case "memory":
      return cut(frame.memory(location.address, size));
    case "register":
      return cut(frame.register(location.register));
    case "value":
      return cut(location.value);
    case "bytes":
      return cut(location.bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n));
    default:
      return undefined;
  }
}

interface Tally {
  same: number;
  lost: number;
  /** One side has a value and the other has none. */
  readonly differing: string[];
  readonly wrong: string[];
}

type Verdict = "same" | "lost" | "missed" | "only ours" | "not compared" | { readonly wrong: string };

function judge(theirs: GdbVariable, ours: ScopedVariable | undefined, frame: StackFrame): Verdict {
  const location = ours && frame.file?.variables.locate(ours, frame.address, frame);
  const found = valueAt(location, theirs.size ?? 8, frame);
  const place = location?.kind === "memory" ? location.address : undefined;
  if (theirs.lost && ours !== undefined && found !== undefined) {
    // gdb believes a call's arguments only when it is sure of the callee, which a call through a pointer never is.
    const operations = frame.file?.variables.operations(ours, frame.address) ?? [];
    const fromCall = operations.some(({ name }) => name === "entry_value");
    return fromCall ? "only ours" : { wrong: `we say ${found}, gdb that it is lost` };
  }
  if (theirs.lost) return "lost";
  const [mine, known] = theirs.address === undefined ? [found, theirs.value] : [place, theirs.address];
  if (known === undefined || theirs.error !== undefined) return "not compared";
  if (mine === undefined) return "missed";
  return mine === BigInt(known) ? "same" : { wrong: `we say ${mine}, gdb ${known}` };
}

/** Before the first instruction of an inlined function gdb does not show it yet: any variable of the name may be meant. */
function note(tally: Tally, theirs: GdbVariable, ours: readonly ScopedVariable[], frame: StackFrame): void {
  const namesakes = ours.filter(({ name }) => name === theirs.name);
  const verdicts = (namesakes.length === 0 ? [undefined] : namesakes).map((one) => judge(theirs, one, frame));
  const where = `${theirs.name} at ${frame.address.toString(16)}`;
  const [verdict] = verdicts;
  if (verdicts.includes("same")) tally.same++;
  else if (verdicts.includes("lost")) tally.lost++;
  else if (verdict === "missed" || verdict === "only ours") tally.differing.push(where);
  else if (typeof verdict === "object") tally.wrong.push(`${where}: ${verdict.wrong}`);
}

const calleeSaved = [3, 6, 7, 12, 13, 14, 15, 16];

function compareFrame(tally: Tally, theirs: GdbFrame, frame: StackFrame): void {
  for (const number of calleeSaved) {
    const [ours, known] = [frame.register(number), theirs.registers[number]];
    if (ours !== undefined && known !== undefined && ours !== BigInt(known))
      tally.wrong.push(`register ${number} at ${frame.address.toString(16)}: we say ${ours}, gdb ${known}`);
  }
  const ours = frame.file?.variables.at(frame.address) ?? [];
  const seen = new Set<string>();
  for (const variable of theirs.variables) {
    if (seen.has(variable.name)) continue;
    seen.add(variable.name);
    note(tally, variable, ours, frame);
  }
}

function compare(program: string): Tally & { frames: number } {
  const elf = readElf(bytesOf(program), program);
  const variables = createVariableReader(elf);
  const mainAt = readSymbols(elf).find(({ name }) => name === "main")!.value;
  const data = elf.segments.findLast(({ type }) => type === segmentTypes.load)!;
  const { main, samples } = sampleWithGdb(program, {
    ...{ steps: 250, stride: 3 },
    data_offset: data.vaddr - mainAt,
    data_size: data.memsz,
  });
  const bias = Number(main) - mainAt;
  const file = { variables, bias };
  const end = bias + Math.max(...elf.segments.map(({ vaddr, memsz }) => vaddr + memsz));
  const tally = { same: 0, lost: 0, differing: [], wrong: [], frames: 0 };
  for (const sample of samples) {
    const { registers } = sample.frames[0]!;
    const register = (number: number) => (registers[number] === undefined ? undefined : BigInt(registers[number]));
    const fileAt = (pc: number) => (pc >= bias && pc < end ? file : undefined);
    const start = openFrame(Number(register(16)), 0, { register, memory: memoryOf(sample) }, fileAt);
    let frame: StackFrame | undefined = start;
    for (const theirs of sample.frames) {
      expect(frame, "a frame that gdb has").toBeDefined();
      expect(frame!.pc).toBe(Number(theirs.registers[16]));
      compareFrame(tally, theirs, frame!);
      tally.frames++;
      frame = frame!.caller();
    }
  }
  expect(variables.problem).toBeUndefined();
  return tally;
}

const builds: readonly (readonly [compiler: string, source: string, flags: readonly string[]])[] = [
  ["gcc", cVariables, ["-O0", "-gdwarf-5"]],
  ["gcc", cVariables, ["-O2", "-gdwarf-5"]],
  ["gcc", cVariables, ["-O2", "-gdwarf-4"]],
  ["gcc", cVariables, ["-O1", "-gdwarf-3", "-fno-omit-frame-pointer"]],
  ["gcc", cVariables, ["-Os", "-gdwarf-5", "-fno-asynchronous-unwind-tables"]],
  ["g++", cppVariables, ["-O0", "-gdwarf-5"]],
  ["g++", cppVariables, ["-O2", "-gdwarf-5"]],
];

describe.runIf(isInstalled("gdb")).each(builds)("%s", (compiler, source, flags) => {
  test(`with ${flags.join(" ")} agrees with gdb about every variable of every frame`, () => {
    const program = workshop.compile(compiler, `variables${flags.join("")}-${compiler}`, source, flags);
    const tally = compare(program);
    expect(tally.wrong).toEqual([]);
    expect(tally.frames).toBeGreaterThan(150);
    expect(tally.same).toBeGreaterThan(200);
    expect(tally.differing.length).toBeLessThan(0.01 * tally.same);
  });
});
