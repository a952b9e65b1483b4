/** Exit codes follow blame. */
export const exitCode = { clean: 0, findings: 1, badInput: 2, noVerdict: 3, bug: 70, interrupted: 130 } as const;
