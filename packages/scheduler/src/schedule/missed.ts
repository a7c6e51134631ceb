import { missedRowsMax, missedRunsMax, missedWindowMs } from '../limits.js'
import { dueSlots, type SlotCount } from './due-slots.js'
import { nextOccurrence } from './occurrences.js'
import type { MissedPolicy, Schedule } from './schedule.js'

/** What becomes of every slot that is due. */
export interface FirePlan {
  /** Oldest first. `lateMs` is 0 within the grace, else how long ago the slot was. */
  readonly run: readonly { readonly slot: number; readonly lateMs: number }[]
  /** The newest of the slots that are not run, oldest first; at most `missedRowsMax`. */
  readonly missed: readonly number[]
  /** All older ones. */
  readonly missedMore?: SlotCount
  /** The slot that comes next, after now; undefined: none. */
  readonly next: number | undefined
}

/**
 * Decides on the slots from `from`, the task's stored next one, to `now`. A slot within the grace is on time and runs under every
 * policy (at most `missedRunsMax`, the newest). Of the others, `skip` runs none; `all` the oldest of the window, at most
 * `missedRunsMax`; `latest` the newest, but none where a slot is on time, for then that is the newest. A `once` has one slot
 * only, so it runs however late, unless under `skip`.
 */
export function planFires(
  schedule: Schedule,
  from: number,
  now: number,
  policy: { readonly missed: MissedPolicy; readonly graceMs: number },
): FirePlan {
  if (from > now) return { run: [], missed: [], next: from }
  const { older, recent, uncounted } = dueSlots(schedule, from, now, now - Math.max(missedWindowMs, policy.graceMs))
  const onTime = recent.filter((slot) => now - slot <= policy.graceMs).slice(-missedRunsMax)
  const late = recent.slice(0, recent.length - onTime.length)
  const caughtUp = lateRuns(late, onTime.length > 0, policy.missed)
  const run = [...caughtUp, ...onTime].map((slot) => ({ slot, lateMs: latenessOf(now - slot, policy.graceMs) }))
  const chosen = new Set(caughtUp)
  const missed = [...older, ...late.filter((slot) => !chosen.has(slot))]
  return { run, ...missedRows(missed, uncounted), next: nextOccurrence(schedule, now) }
}

function lateRuns(late: readonly number[], isNewestOnTime: boolean, policy: MissedPolicy): readonly number[] {
  switch (policy) {
    case 'skip':
      return []
    case 'latest':
      return isNewestOnTime ? [] : late.slice(-1)
    case 'all':
      return late.slice(0, missedRunsMax)
  }
}

function latenessOf(ms: number, graceMs: number): number {
  return ms <= graceMs ? 0 : ms
}

function missedRows(
  missed: readonly number[],
  uncounted: SlotCount | undefined,
): { readonly missed: readonly number[]; readonly missedMore?: SlotCount } {
  const listed = missed.slice(-missedRowsMax)
  const others = missed.slice(0, missed.length - listed.length)
  const [oldest, newest] = [others[0], others.at(-1)]
  if (oldest === undefined || newest === undefined) {
    return { missed: listed, ...(uncounted !== undefined && { missedMore: uncounted }) }
  }
  const missedMore: SlotCount = {
    count: (uncounted?.count ?? 0) + others.length,
    from: uncounted?.from ?? oldest,
    to: newest,
    isCountExact: uncounted?.isCountExact ?? true,
  }
  return { missed: listed, missedMore }
}
