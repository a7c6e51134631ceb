import { mailRetryDelaysMs, mailRetryWindowMs } from '../limits.js'

/**
 * When a mail is tried again, UTC ms; undefined: given up. `tries` counts the attempts until now, the window starts at
 * `queuedAt`. The last attempt is at the window's end, whatever the delay.
 */
export function nextTryAfter(tries: number, now: number, queuedAt: number): number | undefined {
  const end = queuedAt + mailRetryWindowMs
  if (now >= end) return undefined
  const delay = mailRetryDelaysMs[Math.min(tries, mailRetryDelaysMs.length) - 1] ?? mailRetryDelaysMs[0]
  return Math.min(now + delay, end)
}
