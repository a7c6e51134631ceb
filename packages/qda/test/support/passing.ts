import { setImmediate as nextTurn } from 'node:timers/promises'
import type { VirtualClock } from '@callboard/worker/testing'
import { busyRetryMs } from '../../src/limits.js'

/** Until the work is settled, time goes on whenever somebody waits for a database that another program holds, and only then. */
export async function passing(clock: VirtualClock, work: Promise<unknown>): Promise<void> {
  let isSettled = false
  const settled = () => {
    isSettled = true
  }
  work.then(settled, settled)
  while (!isSettled) {
    await nextTurn()
    if ((clock.nextWake ?? Number.POSITIVE_INFINITY) <= clock.now() + busyRetryMs) clock.advance(busyRetryMs)
  }
}
