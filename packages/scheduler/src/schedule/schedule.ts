/** When a task runs: checked by `parseSchedule`, so that nothing that takes one can fail. Times are UTC ms. */
export type Schedule =
  | { readonly type: 'cron'; readonly pattern: string; readonly timeZone: string }
  | { readonly type: 'interval'; readonly everyMs: number; readonly anchor: number; readonly timeZone: string }
  | { readonly type: 'once'; readonly at: number; readonly timeZone: string }

export type MissedPolicy = 'latest' | 'skip' | 'all'
