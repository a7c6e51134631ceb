import { createHash } from 'node:crypto'
import { jitterMsMax } from '../limits.js'
import { nextOccurrence } from './occurrences.js'
import type { Schedule } from './schedule.js'

const gapsLookedAt = 10

/** By how many ms the run of a slot is delayed: below `jitterMs`, and the same in every process. */
export function jitterOf(taskId: string, slot: number, jitterMs: number): number {
  if (jitterMs <= 0) return 0
  // Six bytes are the most that are read exactly, and far more than an hour has ms.
  return createHash('sha256').update(`${taskId} ${slot}`).digest().readUIntBE(0, 6) % jitterMs
}

/** The most ms of jitter that a schedule allows: half the shortest of the next ten gaps, so that no run comes near the slot after it. */
export function jitterMax(schedule: Schedule, after: number): number {
  let shortest = 2 * jitterMsMax
  let slot = nextOccurrence(schedule, after)
  for (let gap = 0; gap < gapsLookedAt && slot !== undefined; gap += 1) {
    const next = nextOccurrence(schedule, slot)
    if (next !== undefined) shortest = Math.min(shortest, next - slot)
    slot = next
  }
  return Math.floor(shortest / 2)
}
