/**
 * Which variables are in which registers and stack slots at an address of a function: what debug information says before
 * anything is computed. Registers are numbered as in x86 instructions.
 */
import type { Operation, ScopedVariable, TypeReader, VariableReader } from "../../elf/index.ts";
import { isObjectId, objectIdBase } from "./typed-memory.ts";
import type { Base } from "./values.ts";

/** Part of a variable, from `offset` on, that a register holds. */
export interface RegisterPlace {
  readonly register: number;
  readonly variable: ScopedVariable;
  readonly offset: number;
}

/** A variable in memory, or the part of it from `part` on, counted from a register or from the canonical frame address. */
export interface SlotPlace extends SlotAddress {
  readonly variable: ScopedVariable;
  readonly part: number;
}

interface SlotAddress {
  readonly from: number | "frame";
  readonly offset: number;
}

export interface Places {
  readonly registers: readonly RegisterPlace[];
  readonly slots: readonly SlotPlace[];
  /** What the object id is that an inlined `pmemobj_direct` works on here. */
  readonly objectId: Base | undefined;
}

/** From DWARF's numbers (System V ABI for x86-64, figure 3.36) to those of instructions. */
export const fromDwarf: readonly number[] = [0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15];
export const toDwarf = (register: number): number => fromDwarf.indexOf(register);

export function placesAt(variables: VariableReader, types: TypeReader, address: number): Places {
  const registers: RegisterPlace[] = [];
  const slots: SlotPlace[] = [];
  const inScope = typedIds(variables.at(address), types);
  for (const variable of inScope) {
    for (const { operation, part } of partsOf(variables.operations(variable, address) ?? [])) {
      const register = operation.name === "reg" ? fromDwarf[Number(operation.numbers[0])] : undefined;
      if (register !== undefined) registers.push({ register, variable, offset: part });
      const slot = slotOf(operation, variables, address);
      if (slot !== undefined) slots.push({ ...slot, variable, part });
    }
  }
  const id = inScope.find(({ name, inlined, type }) => inlined && name !== "_o" && isObjectId(types, type));
  return { registers, slots, objectId: id && objectIdBase(types, id.type, id.name) };
}

/**
 * libpmemobj's D_RW declares an `_o` of the object id's type around its call of `pmemobj_direct`, whose parameter `oid` has
 * none. Where that is inlined, the parameter gets the type, and the name of the only variable of that type.
 */
function typedIds(inScope: readonly ScopedVariable[], types: TypeReader): readonly ScopedVariable[] {
  return inScope.map((variable) => {
    if (variable.name !== "oid" || !variable.inlined) return variable;
    const typed = inScope.find(({ name, depth }) => name === "_o" && depth > variable.depth);
    if (typed === undefined || !isObjectId(types, typed.type)) return variable;
    const named = new Set(
      inScope.filter(({ name, type }) => name !== "_o" && type === typed.type).map(({ name }) => name),
    );
    return { ...variable, type: typed.type, name: named.size === 1 ? [...named].join() : types.spell(typed.type) };
  });
}

/** The one operation that says where a variable is, or one for each piece of it; none for what is computed. */
function partsOf(operations: readonly Operation[]): readonly { operation: Operation; part: number }[] {
  const found: { operation: Operation; part: number }[] = [];
  let [part, last]: [number, Operation | undefined] = [0, undefined];
  for (const operation of operations) {
    if (operation.name === "piece") {
      if (last !== undefined) found.push({ operation: last, part });
      part += Number(operation.numbers[0]);
      last = undefined;
    } else if (last !== undefined && operation.name === "stack_value") last = undefined;
    else if (last !== undefined && operation.name !== "gnu_uninit") return [];
    else last ??= operation;
  }
  return last === undefined ? found : [...found, { operation: last, part }];
}

function slotOf(operation: Operation, variables: VariableReader, address: number): SlotAddress | undefined {
  const offset = Number(operation.numbers.at(-1));
  if (operation.name === "breg") return fromRegister(Number(operation.numbers[0]), offset);
  if (operation.name !== "fbreg") return undefined;
  const [base, ...rest] = variables.frameBase(address) ?? [];
  if (base === undefined || rest.length > 0) return undefined;
  if (base.name === "call_frame_cfa") return { from: "frame", offset };
  return base.name === "reg" || base.name === "breg"
    ? fromRegister(Number(base.numbers[0]), offset + (base.name === "breg" ? Number(base.numbers[1]) : 0))
    : undefined;
}

function fromRegister(dwarf: number, offset: number): SlotAddress | undefined {
  const from = fromDwarf[dwarf];
  return from === undefined ? undefined : { from, offset };
}
