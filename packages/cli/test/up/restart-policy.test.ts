import { expect, it } from 'vitest'
import { RestartPolicy } from '../../src/up/restart-policy.js'

const delays = (policy: RestartPolicy, livedMs: number, count: number) =>
  Array.from({ length: count }, () => policy.exited(livedMs).delayMs)

it('doubles up to 30 s, with up to half of it jitter', () => {
  expect(delays(new RestartPolicy(() => 1), 6_000, 8)).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
  expect(delays(new RestartPolicy(() => 0), 6_000, 8)).toEqual([500, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
})

it('forgets after a minute of health', () => {
  const policy = new RestartPolicy(() => 1)
  delays(policy, 1_000, 5)
  expect(policy.exited(60_000).delayMs).toBe(500)
})

it('calls it a crash loop once, at the third early end in a row', () => {
  const policy = new RestartPolicy(() => 0)
  const loops = (lives: number[]) => lives.map((livedMs) => policy.exited(livedMs).isCrashLoop)
  expect(loops([100, 100, 6_000, 100, 100, 100, 100])).toEqual([false, false, false, false, false, true, false])
})
