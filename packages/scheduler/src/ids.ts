import { randomInt } from 'node:crypto'
import type { Clock } from '@callboard/worker/clock'
import { monotonicFactory } from 'ulid'

export type IdPrefix = 'task' | 'run' | 'msg' | 'trg' | 'mail' | 'out' | 'digest' | 'process'

/** Ids that sort by time: `task_01J…`, a ULID behind its kind. */
export type NewId = (prefix: IdPrefix) => string

/** `random` gives 0 to 1, 1 excluded. */
export function idMaker(clock: Pick<Clock, 'now'>, random: () => number = cryptoRandom): NewId {
  const next = monotonicFactory(random)
  return (prefix) => `${prefix}_${next(clock.now())}`
}

export const taskIdPattern = /^task_[0-9A-HJKMNP-TV-Z]{26}$/

function cryptoRandom(): number {
  return randomInt(0, 2 ** 32) / 2 ** 32
}
