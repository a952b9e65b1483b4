/**
 * Whether this process checks its own work beyond what users pay for: every lifted block is verified (ir/verify.ts), and every
 * crash state that is laid out (crash/law.ts). Tests, the CPU harness and `make guests` do; commands do when BLACKOUT_VERIFY is "on".
 */
let isOn = false;

export function verifyOwnWork(): void {
  isOn = true;
}
export const verifiesOwnWork = (): boolean => isOn;
