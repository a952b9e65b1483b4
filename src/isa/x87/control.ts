/** Control rows: initialise, clear, control and status words, environment and state images (SDM vol. 1, 8.1.9, 8.1.10). */
import { ALL_EXCEPTIONS } from "../softfloat/index.ts";
import { BUSY, DONE, ERROR_SUMMARY, STACK_FAULT } from "./faults.ts";
import {
  environment14,
  environment28,
  fxrstor,
  fxsave,
  loadControl,
  loadEnvironment14,
  loadEnvironment28,
  loadRegisters,
  withRegisters,
} from "./images.ts";
import { argument, control, type Run, type Table, waitingControl } from "./operation.ts";
import type { X87State } from "./state.ts";

export const CONTROL_DEFAULT = 0x37f;

/** FNINIT: the registers' contents stay, but all are empty. */
export function initialize(unit: X87State): void {
  unit.control = CONTROL_DEFAULT;
  unit.status = 0;
  unit.top = 0;
  unit.tags = 0;
  unit.lastOpcode = 0;
  unit.lastInstruction = 0n;
  unit.lastData = 0n;
}

const initializeUnit: Run = (unit) => {
  initialize(unit);
  return DONE;
};

const clear: Run = (unit) => {
  unit.status = unit.status & ~(ALL_EXCEPTIONS | STACK_FAULT | ERROR_SUMMARY | BUSY);
  return DONE;
};

const storeControl: Run = (unit) => BigInt(unit.control);
const storeStatus: Run = (unit) => BigInt(unit.statusWord);

const loadControlWord: Run = (unit, args) => {
  loadControl(unit, Number(argument(args, 0)));
  return DONE;
};

/** FNSTENV also masks every exception. */
const storeEnvironment =
  (environment: typeof environment28): Run =>
  (unit) => {
    const { bits } = environment(unit);
    loadControl(unit, unit.control | ALL_EXCEPTIONS);
    return bits;
  };

/** FNSAVE also initialises the unit. */
const save =
  (environment: typeof environment28): Run =>
  (unit) => {
    const bits = withRegisters(unit, environment(unit));
    initialize(unit);
    return bits;
  };

const loadImage =
  (load: (unit: X87State, image: bigint) => void): Run =>
  (unit, args) => {
    load(unit, argument(args, 0));
    return DONE;
  };

const restore28 = loadImage((unit, image) => {
  loadEnvironment28(unit, image);
  loadRegisters(unit, image, 28, 10);
});
const restore14 = loadImage((unit, image) => {
  loadEnvironment14(unit, image);
  loadRegisters(unit, image, 14, 10);
});

// biome-ignore format: columns stay aligned
export const controlOperations: Table = {
  Wait:               waitingControl(() => DONE),
  Fninit:             control(initializeUnit),
  Finit:              waitingControl(initializeUnit),
  Fnclex:             control(clear),
  Fclex:              waitingControl(clear),
  Fnstcw_m2byte:      control(storeControl),
  Fstcw_m2byte:       waitingControl(storeControl),
  Fldcw_m2byte:       waitingControl(loadControlWord),
  Fnstsw_AX:          control(storeStatus),
  Fstsw_AX:           waitingControl(storeStatus),
  Fnstsw_m2byte:      control(storeStatus),
  Fstsw_m2byte:       waitingControl(storeStatus),
  Fnstenv_m14byte:    control(storeEnvironment(environment14)),
  Fstenv_m14byte:     waitingControl(storeEnvironment(environment14)),
  Fnstenv_m28byte:    control(storeEnvironment(environment28)),
  Fstenv_m28byte:     waitingControl(storeEnvironment(environment28)),
  Fldenv_m14byte:     waitingControl(loadImage(loadEnvironment14)),
  Fldenv_m28byte:     waitingControl(loadImage(loadEnvironment28)),
  Fnsave_m94byte:     control(save(environment14)),
  Fsave_m94byte:      waitingControl(save(environment14)),
  Fnsave_m108byte:    control(save(environment28)),
  Fsave_m108byte:     waitingControl(save(environment28)),
  Frstor_m94byte:     waitingControl(restore14),
  Frstor_m108byte:    waitingControl(restore28),
  Fxsave_m512byte:    control((unit) => fxsave(unit, false)),
  Fxsave64_m512byte:  control((unit) => fxsave(unit, true)),
  Fxrstor_m512byte:   control(loadImage((unit, image) => fxrstor(unit, image, false))),
  Fxrstor64_m512byte: control(loadImage((unit, image) => fxrstor(unit, image, true))),
  Fneni:              control(() => DONE),
  Feni:               waitingControl(() => DONE),
  Fndisi:             control(() => DONE),
  Fdisi:              waitingControl(() => DONE),
  Fnsetpm:            control(() => DONE),
  Fsetpm:             waitingControl(() => DONE),
};
