/** The base of all limits of time, in milliseconds; a calibration scales them. */
export const BUDGETS = { start_ms: 10_000, request_ms: 5_000, case_ms: 30_000, exit_ms: 2_000 } as const;
