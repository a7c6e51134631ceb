/** Whoever can make one call at a time. */
export interface Caller {
  call(): Promise<unknown>
}

/**
 * Keeps so many calls open until `isOver`, of the callers in turn; resolves with how long each took, in ms. There must be as many
 * callers as calls are open.
 */
export async function callInTurn(
  callers: readonly Caller[],
  inFlight: number,
  isOver: () => boolean,
): Promise<number[]> {
  const free = [...callers]
  let next = 0
  const times: number[] = []
  const lane = async () => {
    do {
      const caller = free[next]!
      next += 1
      const begunAt = performance.now()
      await caller.call()
      times.push(performance.now() - begunAt)
      free.push(caller)
    } while (!isOver())
  }
  await Promise.all(Array.from({ length: Math.min(inFlight, callers.length) }, lane))
  return times
}
