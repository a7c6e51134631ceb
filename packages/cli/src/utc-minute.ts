/** A time in UTC ms, as people compare it with a log: `2026-11-20T17:00Z`. */
export const minute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`
