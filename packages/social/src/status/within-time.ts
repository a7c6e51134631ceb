import type { Clock } from '@callboard/worker/clock'

/**
 * What the work gives, or `otherwise` when it rejects, or does not end in time; its signal aborts then. Never rejects. `late`
 * is what `otherwise` gets in the second case.
 */
export async function withinTime<Value>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<Value>,
  otherwise: (reason: unknown) => Value,
): Promise<Value> {
  const ended = new AbortController()
  const stop = new AbortController()
  const timeout = clock.sleepUntil(clock.now() + ms, ended.signal).then(() => {
    throw late
  })
  try {
    return await Promise.race([startOf(() => work(stop.signal)), timeout])
  } catch (error) {
    stop.abort()
    return otherwise(error)
  } finally {
    ended.abort()
    // It rejects with the sleep that has just been ended, and nobody waits for it.
    timeout.catch(() => undefined)
  }
}

export const late = new Error('no answer in time')

/** What throws at once rejects. */
async function startOf<Value>(work: () => Promise<Value>): Promise<Value> {
  return await work()
}
