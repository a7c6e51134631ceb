/** At most `max` events in any window of that length; two events that are a whole length apart share none. */
export interface Window {
  readonly max: number
  readonly windowMs: number
}

/**
 * The first time from `from` on at which one more event leaves every window at most full; undefined when there is none, because
 * `max` is 0. `times` ascend, and hold at least all after `from - windowMs`. UTC ms.
 */
export function nextFree(times: readonly number[], { max, windowMs }: Window, from: number): number | undefined {
  if (max === 0) return undefined
  let time = from
  // Each `max` events that share a window leave no room wherever they would share one with the new event.
  for (let index = 0; index + max <= times.length; index += 1) {
    const first = times[index]!
    const last = times[index + max - 1]!
    const areTogether = last - first < windowMs
    if (areTogether && time > last - windowMs && time < first + windowMs) time = first + windowMs
  }
  return time
}

/** From and to: the indices of the events of the fullest window that holds `now`; of two equally full ones the earlier. `to` is excluded. */
export function fullestWindow(times: readonly number[], windowMs: number, now: number): readonly [number, number] {
  let best: readonly [number, number] = [0, 0]
  let from = 0
  for (let to = 0; to <= times.length; to += 1) {
    // Each window ends with its last event, or with `now` where that is later.
    const end = Math.max(now, times[to - 1] ?? now)
    if (end - windowMs >= now) break
    while (from < to && times[from]! <= end - windowMs) from += 1
    if (to - from > best[1] - best[0]) best = [from, to]
  }
  return best
}
